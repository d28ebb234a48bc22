"""Widgets and styles shared by all pages."""
