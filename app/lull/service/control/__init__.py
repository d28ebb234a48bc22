"""Serves the control API, by which the desktop window and the command line talk to the service: its
status, checks, settings and events.
"""
