"""Stores the user's ratings, the feedback found in users' messages, and the rewards (scores) of
answers.
"""
