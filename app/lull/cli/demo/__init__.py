"""The command `lull demo`, which plays a week of use in a few minutes."""
