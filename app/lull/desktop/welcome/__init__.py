"""The first-run dialog, and parts of it that other pages use."""
