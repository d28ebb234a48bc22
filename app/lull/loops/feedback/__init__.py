"""Turns what users say and do after an answer into rewards, and into wishes that later answers are
checked against.
"""
