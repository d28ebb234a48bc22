"""Parses users' rules in plain language ("at most 100 words"): the kind of rule, numbers, quoted
words, named things and the requests it is limited to.
"""
