"""The first-run dialog, and those of its parts that other pages use."""
