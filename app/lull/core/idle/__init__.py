"""Decides when the computer is idle enough for Lull's own work: signals, conditions, weekly hours,
and forecasts of how long the user stays away.
"""
