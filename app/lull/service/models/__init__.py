"""Chooses models, examines them, and unloads those that Lull's own work loaded."""
