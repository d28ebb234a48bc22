"""Which of the user's models may do which task for Lull, and which one is trained."""
