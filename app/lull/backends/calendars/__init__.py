"""Finds out from .ics calendar feeds when the user is busy; a child process with limited memory and
CPU time parses them.
"""
