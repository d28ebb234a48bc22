"""Runs the service process: startup, lock, logs, error reports, backups and restarting of tasks."""
