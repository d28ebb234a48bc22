"""Patterns of secrets, one list per subject; each pattern has an example and a counterexample."""
