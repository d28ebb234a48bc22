"""Commands of `lull adapters`."""
