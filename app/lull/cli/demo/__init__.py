"""The command `lull demo`, which simulates a week in which a user works with Lull, in a few
minutes.
"""
