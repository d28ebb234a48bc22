"""Made-up secrets of many kinds, places where they occur, and clean texts, to test the redactor.

The secrets are new with each seed. `python -m tests.secret_corpus` measures the redactor on them.
"""
