"""The table of exams."""
