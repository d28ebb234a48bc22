"""What the small reader reaches on the exam that ships with Lull: the bar for chat models."""
