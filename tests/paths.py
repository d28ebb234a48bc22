"""Paths of the repository and of the shared data that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
HANDOUT = Path(__file__).parents[2] / "shared"
"""Folder of recordings and benchmark data; tests that need it are skipped where it is missing."""
