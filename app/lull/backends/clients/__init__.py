"""Finds installed chat apps, reads the YAML of their settings, and sends test requests as they
would.
"""
