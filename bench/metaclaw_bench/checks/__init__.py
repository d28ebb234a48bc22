"""Reads the benchmark's file checks and holds them against a workspace."""
