"""Builds what learns skills: the reader, judge, writer, proofs and exams."""
