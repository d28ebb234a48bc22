"""Stores adapters: their tables, their files, and the measurements of their tests."""
