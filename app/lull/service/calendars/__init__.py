"""Reads the user's calendar feeds, and answers requests about them."""
