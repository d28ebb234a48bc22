"""The small reader: what a user's message says about the answer before it."""
