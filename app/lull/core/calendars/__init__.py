"""Defines what events of the user's calendars mean (the user is away, or needs the computer), and
when the feeds that they come from (iCalendar addresses or files) are fetched.
"""
