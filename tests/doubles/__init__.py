"""Test doubles for parts of the outside world.

Each passes the same contract tests as the real one.
"""
