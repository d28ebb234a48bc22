"""Widgets and HTML for showing long texts, and for showing the differences between two texts."""
