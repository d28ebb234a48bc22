"""Runs the service process: startup, the lock against a second instance, logs, error reports,
backups and restarting of failed background tasks.
"""
