"""The table of calendar feeds."""
