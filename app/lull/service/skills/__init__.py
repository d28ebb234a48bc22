"""Applies the user's changes to skills (instruction texts), and watches the skill files."""
