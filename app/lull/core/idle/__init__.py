"""Decides when the computer is idle enough for Lull's own work (such as training) and which work to
do then, from sensor readings, the user's settings and calendars, and a forecast of how long the
user stays away.
"""
