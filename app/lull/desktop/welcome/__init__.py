"""The first-run dialog, which is shown to new users, and those of its parts that other pages use
too.
"""
