"""Reads .ics calendar feeds, parsing them in a sandboxed child process."""
