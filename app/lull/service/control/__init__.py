"""Serves the control API, by which the window and the command line talk to the service: its status,
checks, settings and events.
"""
