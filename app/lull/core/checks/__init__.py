"""Defines checks, programs that test exactly whether a model's answer follows a rule, and turns
users' rules in plain language into checks.
"""
