"""Control API for training runs and learning progress."""
