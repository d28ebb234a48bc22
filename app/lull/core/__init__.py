"""Domain types and rules of Lull, written with the standard library alone: no I/O, no async, no
clock.
"""
