"""Runs all benchmarks in one go, and builds the report page from their result files."""
