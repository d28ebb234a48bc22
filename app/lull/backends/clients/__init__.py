"""Finds installed chat apps, parses the YAML of their settings files, and sends test requests to
Lull in their API formats.
"""
