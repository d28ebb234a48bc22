"""The user's calendar feeds."""
