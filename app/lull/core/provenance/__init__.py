"""Provenance: who wrote the words of a text (the user, a model or somebody else), and the screening
of a text before it may become a skill.
"""
