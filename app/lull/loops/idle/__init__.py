"""Watches for lulls (times when the user is away from the computer) and runs background work in
them.
"""
