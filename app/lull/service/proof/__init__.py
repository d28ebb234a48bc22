"""Handles proposals (candidate skills that wait for the user's approval): shows and proves them,
and takes the user's decisions.
"""
