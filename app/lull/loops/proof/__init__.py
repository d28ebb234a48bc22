"""Proves proposed skills by replaying past requests with and without them, and monitors approved
skills in use.
"""
