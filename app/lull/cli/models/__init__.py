"""Commands of `lull model`."""
