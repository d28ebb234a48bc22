"""A research pipeline of twelve stages, offline, for any model, with and without Lull."""
