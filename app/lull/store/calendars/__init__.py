"""Stores the user's calendar feeds in a table."""
