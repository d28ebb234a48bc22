"""Proof by replay: pairs, sequential tests, the evidence file, and the holdout after approval."""
