"""The first-run dialog, which is shown to new users."""
