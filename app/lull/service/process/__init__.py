"""The service process: startup, lock, logs, problems and task supervision."""
