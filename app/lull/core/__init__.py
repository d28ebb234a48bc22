"""Nouns and rules. Standard library only: no I/O, no async, no clock."""
