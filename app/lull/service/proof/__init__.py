"""Handles proposals, which are skills (instruction texts) that wait for the user's approval: shows
them, proves by replayed requests that they help, and takes the user's decisions.
"""
