"""Connects other chat programs on this machine to Lull's proxy, for the desktop window: lists them,
changes their settings files and undoes that.
"""
