"""Applies the user's changes to skills (short texts put into prompts), and watches the skill
files.
"""
