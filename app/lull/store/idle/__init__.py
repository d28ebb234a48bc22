"""The tables of idle windows."""
