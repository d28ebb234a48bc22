"""The Review page."""
