"""What the service's process stands on: the lock against a second instance, sockets, logs, events,
problem reports, the look at stored records, and restarting of failed background tasks.
"""
