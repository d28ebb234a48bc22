"""Handles proposals, which are skills (short texts put into prompts) that wait for the user's
approval: shows them, proves by replayed requests that they help, and takes the user's decisions.
"""
