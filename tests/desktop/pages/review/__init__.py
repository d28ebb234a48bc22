"""Tests of the review page: suggestions, their diffs, and comparing two answers."""
