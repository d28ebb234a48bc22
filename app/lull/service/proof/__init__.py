"""Skill proposals: views, comparing answers, deciding and verifying proofs."""
