"""Exemplar memory: past requests for which a skill was credited with a win, kept in Chroma.

Chroma holds them; a copy of the vectors in memory answers the request path, because a query to
Chroma takes 1.6 ms and a matrix product 0.05 (docs/adr). Each collection names its embedder: the
vectors of another one are made again from the stored texts, never mixed.
"""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from lull.backends.best import best
from lull.core.errors import StoreError
from lull.core.policy import room_of
from lull.core.ports import Embedder, Neighbour

log = logging.getLogger(__name__)

_PREFIX = "exemplars-"
_UNUSED = ("opentelemetry.exporter.otlp.proto.grpc.trace_exporter", "httpx._main")
_PAGE = 100
"""Exemplars read at once: Chroma hands vectors over as lists, whose room is never given back."""


def collection_name(embedder: str) -> str:
    """Chroma allows 3 to 512 of letters, digits, dots, hyphens and underscores; names of models
    have colons and slashes."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", embedder)[:64].strip("._-")
    mark = "" if plain and plain == embedder else f"-{zlib.crc32(embedder.encode()):08x}"
    return f"{_PREFIX}{plain}{mark}"


class ChromaExemplars:
    """Opened off the path to the first answer: importing chromadb takes a second and 40 MB."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        """A damaged folder is kept aside as `kept_aside` and a new one begun. Raises StoreError."""
        self.kept_aside: Path | None = None
        self._folder = folder
        self._embedder = embedder
        # Two locks: a request asks for neighbours while another thread waits for the disk.
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._rooms: dict[str, _Room] = {}
        try:
            self._open()
        except _Damaged as error:
            self.kept_aside = _set_aside(folder)
            log.warning("%s; it was kept as %s", error.detail, self.kept_aside)
            self._open()

    def _open(self) -> None:
        _without_ballast()
        import chromadb
        from chromadb.config import Settings

        with _in_words(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._client = chromadb.PersistentClient(
                str(self._folder),
                settings=Settings(anonymized_telemetry=False, chroma_otel_granularity="none"),
            )
            self._collection = self._client.get_or_create_collection(
                collection_name(self._embedder.name),
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
            self._take_over_older()
            self._load()

    def _take_over_older(self) -> None:
        """Make the vectors of collections by another embedder again, then drop those."""
        for collection in self._client.list_collections():
            if collection.name.startswith(_PREFIX) and collection.name != self._collection.name:
                found = collection.get(include=["documents", "metadatas"])
                for id_, text, meta in zip(
                    found["ids"], found["documents"] or [], found["metadatas"] or [], strict=True
                ):
                    self._put(id_, text, dict(meta))
                self._client.delete_collection(collection.name)
                log.info("exemplars rebuilt for embedder %s", self._embedder.name)

    def _load(self) -> None:
        self._rooms = {}
        for offset in range(0, self._collection.count(), _PAGE):
            page = self._collection.get(
                limit=_PAGE, offset=offset, include=["embeddings", "metadatas"]
            )
            for id_, vector, meta in zip(
                page["ids"], page["embeddings"], page["metadatas"], strict=True
            ):
                room = self._rooms.setdefault(str(meta["client"]), _Room())
                room.put(id_, str(meta["skill"]), np.asarray(vector, np.float32))

    def nearest(self, text: str, *, client: str, k: int) -> list[Neighbour]:
        with self._lock:
            room = self._rooms.get(client)
            if room is None or not room.ids:
                return []
        query = np.asarray(self._embedder.embed([text])[0], np.float32)
        with self._lock:
            return room.nearest(query, k)

    def add(self, *, id: str, text: str, client: str, skill: str) -> None:  # noqa: A002
        with self._writing, _in_words(self._folder):
            self._put(id, text, {"client": client, "skill": skill})

    def _put(self, id_: str, text: str, meta: dict[str, Any]) -> None:
        vector = np.asarray(self._embedder.embed([text])[0], np.float32)
        self._collection.upsert(ids=[id_], embeddings=[vector], documents=[text], metadatas=[meta])
        with self._lock:
            for room in self._rooms.values():
                room.drop({id_})
            room = self._rooms.setdefault(str(meta["client"]), _Room())
            room.put(id_, str(meta["skill"]), vector)

    def remove(self, ids: list[str]) -> None:
        with self._writing, _in_words(self._folder):
            if ids:
                self._collection.delete(ids=ids)
            with self._lock:
                for room in self._rooms.values():
                    room.drop(set(ids))

    def remove_skill(self, *, client: str, skill: str) -> None:
        with self._lock:
            rooms = [room for asker, room in self._rooms.items() if room_of(asker) == client]
            ids = [
                id_
                for room in rooms
                for id_, name in zip(room.ids, room.skills, strict=True)
                if name == skill
            ]
        self.remove(ids)

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        """Ids of the exemplars that these turns were credited with."""
        wanted = frozenset(turns)
        with self._lock:
            ids = [one for room in self._rooms.values() for one in room.ids]
        return [one for one in ids if one.partition(":")[0] in wanted]

    def rewrite(self) -> None:
        """Move what is left into a new collection and write the file anew: Chroma keeps what was
        deleted in its queue, its index and free pages. A crash leaves two collections, and the
        next opening takes the one over into the other."""
        with self._writing, _in_words(self._folder):
            old, name = self._collection, self._collection.name
            new = self._client.get_or_create_collection(
                f"{name[:500]}-new",
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
            for offset in range(0, old.count(), _PAGE):
                page = old.get(
                    limit=_PAGE,
                    offset=offset,
                    include=["embeddings", "documents", "metadatas"],
                )
                new.upsert(
                    ids=page["ids"],
                    embeddings=page["embeddings"],
                    documents=page["documents"],
                    metadatas=page["metadatas"],
                )
            self._client.delete_collection(name)
            new.modify(name=name)
            self._collection = new
            self._scrub()

    def _scrub(self) -> None:
        connection = sqlite3.connect(
            self._folder / "chroma.sqlite3", timeout=60, isolation_level=None
        )
        try:
            connection.execute(
                "DELETE FROM embeddings_queue WHERE NOT EXISTS (SELECT 1 FROM collections"
                " WHERE instr(embeddings_queue.topic, collections.id) > 0)"
            )
            connection.execute(
                "INSERT INTO embedding_fulltext_search (embedding_fulltext_search)"
                " VALUES ('optimize')"
            )
            connection.execute("VACUUM")
            segments = {str(row[0]) for row in connection.execute("SELECT id FROM segments")}
        finally:
            connection.close()
        for folder in self._folder.iterdir():
            if folder.is_dir() and folder.name not in segments:
                shutil.rmtree(folder, ignore_errors=True)

    def count(self) -> int:
        with self._lock:
            return sum(len(room.ids) for room in self._rooms.values())


class _Nothing(ModuleType):
    """Has every public name, and nothing behind it."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def _without_ballast() -> None:
    """Chroma loads gRPC, 13 MB of it, to send traces of itself, and httpx a command line, 5 MB.
    Lull keeps the traces off, whatever the environment says, and has a command line, so nothing
    stands in for both."""
    for name in _UNUSED:
        sys.modules.setdefault(name, _Nothing(name))


class _Damaged(StoreError):
    """What is in the folder cannot be read any more."""


@contextmanager
def _in_words(folder: Path) -> Iterator[None]:
    """Chroma's failures as ours. Its Rust half panics at some damage, and that is no Exception:
    uncaught it would end the service."""
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, OSError, sqlite3.Error) as error:
        words = str(error).lower()
        damaged = any(sign in words for sign in ("malformed", "not a database", "corrupt"))
        kind = _Damaged if damaged else StoreError
        raise kind(f"{folder}: {error}", hint="Check the folder, or move it away.") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _Damaged(f"{folder}: {error}", hint="Move the folder away.") from error


def _set_aside(folder: Path) -> Path:
    from chromadb.api.shared_system_client import SharedSystemClient

    # It would hand out the broken client again for the same folder.
    SharedSystemClient.clear_system_cache()
    number = 1
    while (aside := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return folder.rename(aside)


class _Room:
    """One client's vectors, rows of a (capacity, dimensions) matrix that doubles when full."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.skills: list[str] = []
        self._matrix: npt.NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def put(self, id_: str, skill: str, vector: npt.NDArray[np.float32]) -> None:
        """Add a row; the id must be new here."""
        row = len(self.ids)
        self.ids.append(id_)
        self.skills.append(skill)
        if row >= len(self._matrix):
            self._matrix = _in_blocks(self._matrix[:row], max(_BLOCK, 2 * row), len(vector))
        self._matrix[row] = vector

    def drop(self, ids: set[str]) -> None:
        if ids.isdisjoint(self.ids):
            return
        keep = [row for row, id_ in enumerate(self.ids) if id_ not in ids]
        self._matrix = _in_blocks(self._matrix[keep], len(keep), self._matrix.shape[1])
        self.ids = [self.ids[row] for row in keep]
        self.skills = [self.skills[row] for row in keep]

    def nearest(self, query: npt.NDArray[np.float32], k: int) -> list[Neighbour]:
        count = len(self.ids)
        used = self._matrix[: -(-count // _BLOCK) * _BLOCK]
        similarity = (used.reshape(-1, _BLOCK, len(query)) @ query).ravel()[:count]
        return [
            Neighbour(self.ids[row], self.skills[row], close) for row, close in best(similarity, k)
        ]


_BLOCK = 16
"""Rows of one product: for a larger one BLAS wakes a second thread and waits for it, which on a
busy machine takes longer than the product."""


def _in_blocks(rows: npt.NDArray[np.float32], capacity: int, width: int) -> npt.NDArray[np.float32]:
    """The rows at the head of a matrix of whole blocks."""
    grown = np.zeros((-(-capacity // _BLOCK) * _BLOCK, width), np.float32)
    if len(rows):
        grown[: len(rows)] = rows
    return grown
