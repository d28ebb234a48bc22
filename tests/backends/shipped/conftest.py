"""Fixture of a tiny model that stands in for the small model of the installed wheel."""

from tests.backends.reader.conftest import tiny_reader

__all__ = ["tiny_reader"]
