"""Reads what users type: feedback, request kinds and languages."""
