"""Detects idle times and schedules work in them: when Lull may use the user's models for its own
work.
"""
