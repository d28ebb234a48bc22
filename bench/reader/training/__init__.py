"""Trains the reader, in PyTorch."""
