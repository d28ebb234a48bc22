"""Stores exemplars in a collection of the vector database Chroma, in the process that calls it.

Importing Chroma takes a second and 40 MB, so the service does this in a child process
(`chroma_process.py`). Each collection names the embedder that computed its vectors.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lull.backends.retrieval.chroma_folder import (
    convert_errors,
    forget_clients,
    scrub,
    set_aside,
)
from lull.backends.retrieval.exemplar_store import PAGE_SIZE, ExemplarLabel, Vector
from lull.core.skills.past_requests import NO_SKILL

_PREFIX = "exemplars-"
_KNOWN = "known"


def collection_name(embedder: str) -> str:
    """Return a name that Chroma allows for the collection of vectors made by this embedder.

    It has 3 to 512 letters, digits, dots, hyphens, underscores. Embedder names may contain colons
    and slashes.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", embedder)[:64].strip("._-")
    mark = "" if plain and plain == embedder else f"-{zlib.crc32(embedder.encode()):08x}"
    return f"{_PREFIX}{plain}{mark}"


class ChromaCollection:
    """Stores exemplars in a Chroma collection; implements `ExemplarStore`."""

    def __init__(self, folder: Path, embedder: str) -> None:
        """Store in this folder what the embedder with this name computes; the first call opens
        it.
        """
        self._folder = folder
        self._name = collection_name(embedder)
        self._client: Any = None
        self._opened: Any = None
        """The collection; None until it is opened."""

    def set_aside(self) -> Path:
        self._opened = None
        return set_aside(self._folder)

    @property
    def _collection(self) -> Any:
        if self._opened is None:
            self._client = self._open()
            self._opened = self._made(self._name)
        return self._opened

    def _open(self) -> Any:
        # Chroma brings a SQLite of its own, which would put past requests into the system's folder.
        os.environ["SQLITE_TMPDIR"] = str(self._folder.parent)
        import chromadb
        from chromadb.config import Settings

        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            return chromadb.PersistentClient(
                str(self._folder),
                settings=Settings(anonymized_telemetry=False, chroma_otel_granularity="none"),
            )
        except BaseException:
            forget_clients()
            raise

    def _made(self, name: str) -> Any:
        return self._client.get_or_create_collection(
            name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def page(self, offset: int, *, client: str | None) -> list[tuple[ExemplarLabel, Vector]]:
        where = None if client is None else {"client": client}
        with convert_errors(self._folder):
            page = self._collection.get(
                where=where, limit=PAGE_SIZE, offset=offset, include=["embeddings", "metadatas"]
            )
        return [
            (_label(id_, meta), np.asarray(vector, np.float32))
            for id_, vector, meta in zip(
                page["ids"], page["embeddings"], page["metadatas"], strict=True
            )
        ]

    def of_other_embedders(self) -> list[tuple[ExemplarLabel, str]]:
        found: list[tuple[ExemplarLabel, str]] = []
        with convert_errors(self._folder):
            for collection in self._others():
                page = collection.get(include=["documents", "metadatas"])
                found += [
                    (_label(id_, meta), str(text))
                    for id_, text, meta in zip(
                        page["ids"], page["documents"], page["metadatas"], strict=True
                    )
                ]
        return found

    def drop_other_embedders(self) -> None:
        with convert_errors(self._folder):
            for collection in self._others():
                self._client.delete_collection(collection.name)

    def _others(self) -> list[Any]:
        own = self._collection.name
        return [
            collection
            for collection in self._client.list_collections()
            if collection.name.startswith(_PREFIX) and collection.name != own
        ]

    def put(self, label: ExemplarLabel, vector: Vector, text: str) -> None:
        meta = {"client": label.client, "skill": label.skill, _KNOWN: label.known}
        with convert_errors(self._folder):
            self._collection.upsert(
                ids=[label.id], embeddings=[vector], documents=[text], metadatas=[meta]
            )

    def remove(self, ids: Sequence[str]) -> None:
        with convert_errors(self._folder):
            self._collection.delete(ids=[*ids])

    def ids(self) -> list[str]:
        with convert_errors(self._folder):
            return [*self._collection.get(include=[])["ids"]]

    def of_skill(self, skill: str) -> list[ExemplarLabel]:
        with convert_errors(self._folder):
            found = self._collection.get(where={"skill": skill}, include=["metadatas"])
        return [_label(*one) for one in zip(found["ids"], found["metadatas"], strict=True)]

    def count(self) -> int:
        with convert_errors(self._folder):
            return len(self._collection.get(where={"skill": {"$ne": NO_SKILL}}, include=[])["ids"])

    def rewrite(self) -> None:
        """Rewrite the files, so that deleted content is gone from the disk too.

        Chroma keeps deleted content in its queue, index and free pages. A crash leaves two
        collections; the next opening merges them.
        """
        with convert_errors(self._folder):
            old, name = self._collection, self._collection.name
            new = self._made(f"{name[:500]}-new")
            for offset in range(0, old.count(), PAGE_SIZE):
                page = old.get(
                    limit=PAGE_SIZE,
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
            self._opened = new
            scrub(self._folder)


def _label(id_: str, meta: Mapping[str, Any]) -> ExemplarLabel:
    known = int(meta.get(_KNOWN, 0))
    return ExemplarLabel(id_, str(meta["client"]), str(meta["skill"]), known)
