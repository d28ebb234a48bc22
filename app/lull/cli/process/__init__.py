"""Commands for the running programs and their data: start and stop the service and the window, look
at its log and health, change settings, make and restore backups.
"""
