"""Tests of the learning page: its charts and what they say."""
