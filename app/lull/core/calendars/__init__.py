"""Calendar events and the feeds they come from."""
