"""Stores the user's calendar feeds (calendars that are fetched regularly from an address) in a
database table.
"""
