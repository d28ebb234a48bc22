"""Where the tests find what they read."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
HANDOUT = Path(__file__).parents[2] / "shared"
"""Recordings and benchmark data; tests that need it skip where it is not there."""
