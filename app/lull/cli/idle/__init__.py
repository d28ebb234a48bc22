"""The commands `lull why`, `lull pause` and `lull resume`, which explain, pause and resume Lull's
background work.
"""
