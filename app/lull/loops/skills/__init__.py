"""Turns users' wishes into skill proposals, and approved proposals into active skills."""
