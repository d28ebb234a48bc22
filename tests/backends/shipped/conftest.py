"""The tiny model that stands for the small model of the wheel."""

from tests.backends.reader.conftest import tiny_reader

__all__ = ["tiny_reader"]
