"""Commands about conversations, such as `lull ask`, `show`, `forget` and `trash`."""
