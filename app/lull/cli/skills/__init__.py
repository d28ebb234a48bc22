"""Commands of `lull skills` and `lull review`."""
