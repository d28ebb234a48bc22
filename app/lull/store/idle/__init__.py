"""Stores idle windows, the user's absences and the pause."""
