"""Widgets and styles that all pages of Lull's window share."""
