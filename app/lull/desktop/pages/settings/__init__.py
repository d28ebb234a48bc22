"""The Settings page: its cards, a line for each setting, and names of the settings for users."""
