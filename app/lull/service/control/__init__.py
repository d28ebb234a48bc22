"""The control socket used by the window and the command line."""
