"""Commands of `lull calendar`."""
