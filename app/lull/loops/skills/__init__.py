"""Turns users' wishes into proposed skills (instruction texts for prompts), and approved proposals
into active skills.
"""
