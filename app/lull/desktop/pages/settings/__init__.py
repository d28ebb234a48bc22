"""The Settings page: its cards, a line for each setting, and what people call the settings."""
