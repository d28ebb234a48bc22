"""Rules for texts in general: signs that deceive readers, letters that stand for others, durations,
and texts with a code by which the window translates them.
"""
