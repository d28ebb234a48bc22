"""Chooses the model that learns, and tests local chat models on labelled items before they may read
feedback, judge answers or write skills.
"""
