"""The commands of `lull calendar`, which add, remove and test calendar feeds, from which Lull knows
when the user is away or busy.
"""
