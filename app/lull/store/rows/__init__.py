"""Reads rows of the database of which some may be damaged."""
