"""Turns what users say and do after an answer into rewards (scores of how good the answer was), and
into wishes that later answers are checked against.
"""
