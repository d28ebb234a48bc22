"""The Learning page."""
