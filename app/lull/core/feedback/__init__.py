"""User feedback on answers, and what follows from it."""
