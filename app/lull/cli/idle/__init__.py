"""Commands `lull why`, `pause` and `resume`."""
