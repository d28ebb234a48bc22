"""Finds the skills (instruction texts) that a request needs: by its words, its kind, and similar
past requests.
"""
