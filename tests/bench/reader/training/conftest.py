"""Which tests of the reader's training need PyTorch, which only who trains it has."""

from __future__ import annotations

from importlib.util import find_spec

from tests.bench.english.conftest import tiny_base

collect_ignore = [] if find_spec("torch") else ["test_reader_training.py"]
__all__ = ["tiny_base"]
