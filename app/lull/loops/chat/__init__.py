"""Handles one chat request from its arrival to its stored record."""
