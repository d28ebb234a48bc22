"""Commands for the running programs: start and stop the service and the window, look at its log and
health, change settings.
"""
