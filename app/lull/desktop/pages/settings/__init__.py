"""The Settings page: its cards, a line for each setting, and the dialogs that it opens."""
