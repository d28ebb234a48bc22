"""Decides when Lull may use the user's models for its own work, and answers requests about the idle
times in which it may.
"""
