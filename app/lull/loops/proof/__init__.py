"""Proves proposals by replay, and monitors approved skills by a holdout."""
