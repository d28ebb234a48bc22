"""The program of the child process that keeps exemplars in Chroma while they are written or read.

Run as `python -m lull.backends.retrieval.chroma_child`, in a frozen app as `lull keep-vectors`. It
carries out the calls of `chroma_process.py` that come over its standard input, one after the other,
and ends when that closes. Both sides are this program, so calls and results are pickled.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from lull.backends.retrieval.chroma_collection import ChromaCollection
from lull.config.dies_first import die_first
from lull.core.errors import StoreError


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out calls on a Chroma collection until standard input closes."""
    parser = argparse.ArgumentParser(prog="lull keep-vectors", description="Keep past requests.")
    parser.add_argument("--folder", type=Path, required=True, help="Chroma's folder")
    parser.add_argument("--embedder", required=True, help="name of what computes the vectors")
    arguments = parser.parse_args(argv)
    die_first()
    collection = ChromaCollection(arguments.folder, arguments.embedder)
    with _results() as results:
        _carry_out(collection, sys.stdin.buffer, results)
    return 0


def _results() -> BinaryIO:
    """Take standard output for the results alone: what a library prints goes to standard error."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return results


def _carry_out(collection: ChromaCollection, calls: BinaryIO, results: BinaryIO) -> None:
    while calls.peek(1):  # type: ignore[attr-defined]
        method, words, named = pickle.load(calls)
        try:
            result = getattr(collection, method)(*words, **named)
        except StoreError as error:
            result = error
        pickle.dump(result, results)
        results.flush()


if __name__ == "__main__":
    sys.exit(main())
