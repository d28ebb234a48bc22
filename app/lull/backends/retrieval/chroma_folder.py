"""Handles the folder of the vector database Chroma: converts its errors to messages for users,
moves a damaged folder aside, and removes deleted content from its files.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

from lull.core.errors import NO_ROOM, StoreError

_UNUSED = ("opentelemetry.exporter.otlp.proto.grpc.trace_exporter", "httpx._main")

_ROOM_BYTES = 1_000_000
"""Free bytes below which a disk counts as full."""

_NO_MEMORY: Final = (
    "out of memory",
    "cannot allocate memory",
    "resource temporarily unavailable",  # a thread for which there is no room
)
"""Texts by which Chroma's and the system's errors for too little memory are recognised."""


class _Nothing(ModuleType):
    """A module stand-in with an empty class for every public name."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def skip_unused_imports() -> None:
    """Put empty stand-ins in place of modules that Chroma imports and Lull does not use: gRPC
    tracing (13 MB) and httpx's command line (5 MB).

    Lull turns Chroma's tracing off in any case.
    """
    for name in _UNUSED:
        sys.modules.setdefault(name, _Nothing(name))


class DamagedVectors(StoreError):
    """Raised when the vectors in Chroma's folder are damaged and cannot be read."""


@contextmanager
def convert_errors(folder: Path) -> Iterator[None]:
    """Context manager that converts Chroma's errors to StoreError, or DamagedVectors for damage.

    Chroma's Rust core panics on damaged data, and also for want of memory, which says nothing about
    the data. A panic is not an `Exception` and would end the service.
    """
    skip_unused_imports()
    from chromadb.errors import ChromaError

    try:
        yield
    except MemoryError as error:
        raise _too_little_memory() from error
    except (ChromaError, OSError, sqlite3.Error) as error:
        words = str(error).lower()
        if _names_no_memory(words):
            raise _too_little_memory() from error
        damaged = any(sign in words for sign in ("malformed", "not a database", "corrupt"))
        kind = DamagedVectors if damaged else StoreError
        # Chroma hands on SQLite's words alone, and not always these.
        full = "database or disk is full" in words or getattr(error, "errno", None) in NO_ROOM
        full = full or _has_no_room(folder)
        hint = "Make room on the disk." if full else "Check the folder, or move it away."
        raise kind(f"{folder}: {str(error).rstrip('.')}.", hint=hint) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        if _names_no_memory(str(error).lower()):
            raise _too_little_memory() from error
        raise DamagedVectors(
            f"{folder} cannot be read: “{error}”.", hint="Move the folder away."
        ) from error


def _names_no_memory(words: str) -> bool:
    return any(sign in words for sign in _NO_MEMORY)


def _too_little_memory() -> StoreError:
    return StoreError(
        "There was too little memory to read or keep past requests.",
        hint="What was kept stays. It is tried again when it is next needed.",
    )


def _has_no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


def forget_clients() -> None:
    """Have Chroma open each folder anew: it returns a cached client for the same folder, also one
    whose opening failed.
    """
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()


def set_aside(folder: Path) -> Path:
    """Rename the folder of a damaged Chroma index to a free name, and return its new path."""
    forget_clients()
    number = 1
    while (aside := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return folder.rename(aside)


def scrub(folder: Path) -> None:
    """Remove deleted content from Chroma's queue, index and free pages, and unused folders."""
    connection = sqlite3.connect(folder / "chroma.sqlite3", timeout=60, isolation_level=None)
    try:
        connection.execute(
            "DELETE FROM embeddings_queue WHERE NOT EXISTS (SELECT 1 FROM collections"
            " WHERE instr(embeddings_queue.topic, collections.id) > 0)"
        )
        connection.execute(
            "INSERT INTO embedding_fulltext_search (embedding_fulltext_search) VALUES ('optimize')"
        )
        connection.execute("VACUUM")
        segments = {str(row[0]) for row in connection.execute("SELECT id FROM segments")}
    finally:
        connection.close()
    for one in folder.iterdir():
        if one.is_dir() and one.name not in segments:
            shutil.rmtree(one, ignore_errors=True)
