"""The commands `lull backup` and `lull restore`."""
