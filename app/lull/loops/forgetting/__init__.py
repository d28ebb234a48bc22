"""Removes conversations with all that is derived from them: those that the user wants forgotten,
and those that have grown too old.
"""
