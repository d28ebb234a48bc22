"""Tests of a model's answer by exact programs (checks): the kinds there are, and how a rule in
plain language becomes a check.
"""
