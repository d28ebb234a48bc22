"""Decides how good a model's answers were: interprets what users say about them, combines the
scores from all sources (user, tools, a judge model), and measures how reliable each source is.
"""
