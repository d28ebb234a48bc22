"""Handles users' ratings and the feedback in their messages, and runs the jobs that learn skills
(instruction texts) from both.
"""
