"""Commands of `lull calendar`, which manages calendar feeds."""
