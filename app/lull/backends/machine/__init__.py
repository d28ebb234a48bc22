"""Reads the machine's state: running programs, heat, load, memory and power, through D-Bus and
system commands.
"""
