"""Keeps the service running: a free port for it, and the choice when the window is closed."""
