"""Commands of `lull skills` and `lull review`, about active and proposed skills."""
