"""Reads the user's calendars (iCalendar feeds), which tell when the user is away or busy, and
answers requests about them.
"""
