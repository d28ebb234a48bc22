"""Widgets for sending chat requests to Lull and showing the answers."""
