"""Parses users' rules for answers, written in plain language ("at most 100 words"): finds the kind
of rule, its numbers and quoted words, and the requests that it is limited to.
"""
