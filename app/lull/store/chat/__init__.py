"""Tables of conversations and turns."""
