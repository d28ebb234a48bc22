"""Lull's SQLite file: opens it, brings it to the newest layout, writes to it on one thread, and has
rows put right that other programs changed.
"""
