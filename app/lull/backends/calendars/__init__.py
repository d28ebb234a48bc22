"""Reads .ics calendar feeds, parsing them in a restricted child process."""
