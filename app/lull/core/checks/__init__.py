"""Checks on answers by exact programs: the catalogue, and how a plain-language rule becomes a
check."""
