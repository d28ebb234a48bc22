"""Runs a real Lull between a benchmark and its model: its service, the conditions, and resuming."""
