"""What the service's process stands on: the lock against a second instance, sockets, logs, events,
problem reports, backups, restarting of failed background tasks, and the process that stands in.
"""
