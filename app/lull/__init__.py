"""Lull: your local language model gets better in the lulls of your day."""

__version__ = "0.1.0"
