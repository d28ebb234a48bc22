"""Commands `lull why`, `lull pause` and `lull resume`, about when Lull works on its own."""
