"""Reads and changes Lull's settings file, and finds the folders in which Lull keeps its files."""
