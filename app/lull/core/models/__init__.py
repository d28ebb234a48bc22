"""Which of the user's models may do what for Lull, and which one learns."""
