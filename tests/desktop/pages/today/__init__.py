"""Tests of the Today page: what needs the user, and texts that are broken to fit."""
