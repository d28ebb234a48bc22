"""Tests of the training of the reader."""
