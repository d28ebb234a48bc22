"""Stores the skill library (instruction texts for prompts): its tables and its folders."""
