"""Handles users' ratings and the feedback in their messages, and runs the jobs that learn skills
(texts put into prompts) from both.
"""
