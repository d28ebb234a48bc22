"""Finds the skills (rules for prompts) that a request needs: by its words, its kind, and similar
past requests.
"""
