"""Stores training runs and sampled answers: their tables, and the run folders."""
