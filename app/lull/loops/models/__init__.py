"""Chooses the model that is trained, and tests local chat models on labelled items before they may
read feedback, judge answers or write skills.
"""
