"""Commands about conversations, such as `lull ask`, `lull show`, `lull forget` and `lull trash`."""
