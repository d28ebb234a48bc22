"""Measures how much idle time of a simulated year Lull uses, and whether it ever disturbs the
user.
"""
