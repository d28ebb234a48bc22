"""Checks: exact programs that test a model's answer. The kinds there are, and how a rule in plain
language becomes a check.
"""
