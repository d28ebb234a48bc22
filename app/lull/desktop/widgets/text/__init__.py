"""Shows long texts, and what has changed between two."""
