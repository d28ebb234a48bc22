"""Reads the machine's state: heat, load, memory, power, D-Bus and system commands."""
