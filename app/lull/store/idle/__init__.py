"""Stores idle windows (times when background work may run), the user's absences and the user's
pause of background work.
"""
