"""The Schedule page."""
