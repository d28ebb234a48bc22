"""Stores proposed skills, the replays that prove them, and the replays of approved skills in
use.
"""
