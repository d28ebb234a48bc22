"""Secrets of many kinds, made fresh from a seed, the places they turn up in, and texts that hold
none: what the redactor is measured on (`python -m tests.secret_corpus`)."""
