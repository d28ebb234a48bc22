"""Tests of the check catalogue, and of how a rule in plain words becomes a check."""
