"""Stores idle windows (times when background work may run), the user's absences and the pause of
background work that the user asked for.
"""
