"""Patterns that find secrets (passwords, keys, card numbers) in texts: one list for each kind of
text, and for each pattern an example and a counterexample.
"""
