"""What a user says about an answer, and what follows from it."""
