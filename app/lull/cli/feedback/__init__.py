"""Commands about feedback: `lull rate` and `lull read`."""
