"""Calendar events, which tell when the user is away or busy, and the feeds (iCalendar addresses or
files) that they come from.
"""
