"""Commands of `lull train`."""
