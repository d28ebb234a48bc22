"""Stores conversations and turns (requests with their answers) in tables."""
