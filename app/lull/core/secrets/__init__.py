"""Patterns that find secrets (passwords, keys, card numbers) in texts, one list per subject; each
pattern has an example and a counterexample.
"""
