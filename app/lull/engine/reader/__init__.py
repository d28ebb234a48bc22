"""The feedback reader: a small model that classifies what a user's message says about the answer
before it.
"""
