"""A research pipeline of twelve stages, offline, with and without Lull, for any model."""
