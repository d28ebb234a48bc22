"""Stores exemplars (past requests with the skills that were useful for them) in the vector database
Chroma.

Requests that went well without any skill are kept as well. Answering uses a copy of the vectors in
memory, because a Chroma query takes 1.6 ms and a matrix product 0.05 ms (docs/adr). The copy is
bounded, because a client can invent any number of client names: past requests of the clients that
have been silent longest stay on disk only, until such a client asks again. Each collection names
its embedder: vectors of another embedder are recomputed from the stored texts, never mixed.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lull.backends.retrieval.chroma_folder import (
    DamagedVectors,
    convert_errors,
    forget_clients,
    scrub,
    set_aside,
    skip_unused_imports,
)
from lull.backends.retrieval.recollection import Foreseen, PastRequests, Vector
from lull.core.chat.client import owner_of
from lull.core.errors import StoreError
from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from lull.core.skills.ports import Embedder

log = logging.getLogger(__name__)

_PREFIX = "exemplars-"
_KNOWN = "known"
MOST_REFUSALS = 2000
"""Most past requests that needed no skill, kept per client; they are far more frequent than others.
"""
MOST_MEMORY_BYTES = 160 * 2**20
"""Most bytes of memory for past requests of all clients together: some forty clients
with hundreds of rated requests each, or thousands with a few."""
_PAGE_SIZE = 100
"""Exemplars read per call: Chroma returns vectors as lists, whose memory is never released."""


def collection_name(embedder: str) -> str:
    """Return a name that Chroma allows for the collection of vectors made by this embedder.

    It has 3 to 512 letters, digits, dots, hyphens, underscores. Embedder names may contain colons
    and slashes.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", embedder)[:64].strip("._-")
    mark = "" if plain and plain == embedder else f"-{zlib.crc32(embedder.encode()):08x}"
    return f"{_PREFIX}{plain}{mark}"


class ChromaExemplars:
    """Stores exemplars (past requests with the skills that were useful for them) in the vector
    database Chroma.

    Implements `ExemplarMemory`. Importing chromadb takes a second and 40 MB: create it off the
    request path.
    """

    def __init__(
        self, folder: Path, embedder: Embedder, *, most_bytes: int = MOST_MEMORY_BYTES
    ) -> None:
        """Open the database folder; a damaged one is moved aside (`kept_aside`).

        Past requests of clients for which `most_bytes` of memory do not suffice stay on disk, and
        are read when that client asks. Raises StoreError.
        """
        self.kept_aside: Path | None = None
        self._folder = folder
        self._embedder = embedder
        # Two locks, so that requests can search while another thread writes to disk.
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._most_bytes = most_bytes
        self._by_client: OrderedDict[str, PastRequests] = OrderedDict()
        """Past requests in memory by client, the one heard of last at the end."""
        self._on_disk: set[str] = set()
        """Clients whose past requests are not in memory."""
        self._reading = False
        self._foreseeing = False
        try:
            self._open()
        except DamagedVectors as error:
            self.kept_aside = set_aside(folder)
            log.warning("%s; it was kept as %s", error.detail, self.kept_aside)
            self._open()

    def _open(self) -> None:
        skip_unused_imports()
        # Chroma brings a SQLite of its own, which would put past requests into the system's folder.
        os.environ["SQLITE_TMPDIR"] = str(self._folder.parent)
        import chromadb
        from chromadb.config import Settings

        with convert_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                self._client = chromadb.PersistentClient(
                    str(self._folder),
                    settings=Settings(anonymized_telemetry=False, chroma_otel_granularity="none"),
                )
            except BaseException:
                forget_clients()
                raise
            self._collection = self._client.get_or_create_collection(
                collection_name(self._embedder.name),
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
            self._take_over_older()
            self._load()

    def _take_over_older(self) -> None:
        """Recompute the vectors of other embedders' collections, then delete those."""
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
        self._by_client, self._on_disk = OrderedDict(), set()
        for number, (client, exemplar) in enumerate(self._stored()):
            if number % _PAGE_SIZE == 0:
                self._make_room()
            # Of a client that was left on the disk, all is read when it asks.
            if client not in self._on_disk:
                self._by_client.setdefault(client, PastRequests()).put(*exemplar)
        self._make_room()

    def _stored(self, client: str | None = None) -> Iterator[tuple[str, _Exemplar]]:
        """Yield every exemplar with its client; of one client if it is given."""
        where: Any = None if client is None else {"client": client}
        offset, size = 0, _PAGE_SIZE
        while size == _PAGE_SIZE:
            page = self._collection.get(
                where=where, limit=_PAGE_SIZE, offset=offset, include=["embeddings", "metadatas"]
            )
            for id_, vector, meta in zip(
                page["ids"], page["embeddings"], page["metadatas"], strict=True
            ):
                known = int(meta.get(_KNOWN, 0))
                exemplar = _Exemplar(id_, str(meta["skill"]), np.asarray(vector, np.float32), known)
                yield str(meta["client"]), exemplar
            size = len(page["ids"])
            offset += size

    def _heard(self, client: str) -> PastRequests | None:
        """Return a client's past requests; None if there are none in memory.

        Those on the disk are read beside the request, for the client's next one.
        """
        with self._lock:
            past = self._by_client.get(client)
            if past is not None:
                self._by_client.move_to_end(client)
            read = client in self._on_disk and not self._reading
            self._reading = self._reading or read
        if read:
            thread = threading.Thread(
                target=self._read_again, args=(client,), name="reads past requests", daemon=True
            )
            thread.start()
        return past

    def _read_again(self, client: str) -> None:
        try:
            with self._writing, convert_errors(self._folder):
                self._take_in(client)
        except StoreError as error:
            log.warning("past requests of a client could not be read: %s", error.detail)
        finally:
            self._reading = False

    def _take_in(self, client: str) -> None:
        """Read a client's past requests if they are on the disk alone. Holds `_writing`."""
        if client not in self._on_disk:
            return
        past = PastRequests()
        for _, exemplar in self._stored(client):
            past.put(*exemplar)
        with self._lock:
            self._by_client[client] = past
            self._on_disk.discard(client)
            self._make_room()

    def _make_room(self) -> None:
        """Leave clients on the disk that were not heard of for longest. Holds `_lock`."""
        held = sum(past.bytes_held for past in self._by_client.values())
        while held > self._most_bytes and len(self._by_client) > 1:
            client, past = self._by_client.popitem(last=False)
            held -= past.bytes_held
            self._on_disk.add(client)

    def scores_by_skill(
        self,
        text: str,
        *,
        client: str,
        since: Callable[[str], int | None],
        also: Collection[str],
        least: float,
    ) -> dict[str, PastRequestScores]:
        """Predict from a client's similar past requests how much this request needs each skill, by
        name.

        The skills are those that were ever useful and whose `past_request_score` may reach `least`,
        and those in `also`. `since` returns the version of the skill library in which a skill first
        appeared: older requests say nothing against that skill.
        """
        past = self._heard(client)
        if past is None:
            return {}
        query = np.asarray(self._embedder.embed([text])[0], np.float32)
        if not query.any():
            return {}
        with self._lock:
            found = past.scores_by_skill(query, since=since, also=also, least=least)
            work = None if self._foreseeing else past.foreseeing()
            self._foreseeing = self._foreseeing or work is not None
        if work is not None:
            thread = threading.Thread(
                target=self._foresee, args=(past, work), name="foresees requests", daemon=True
            )
            thread.start()
        return found

    def _foresee(self, past: PastRequests, work: Callable[[], Foreseen]) -> None:
        try:
            foreseen = work()
            with self._lock:
                past.foresee(foreseen)
                self._make_room()
        finally:
            self._foreseeing = False

    def credit(
        self, turn: str, *, text: str, client: str, skills: Sequence[str], known: int
    ) -> None:
        """Store the request of a conversation turn with the skills that were useful for it; without
        any, as a request that needed none.

        `known` is the version of the skill library at that turn. Once a skill is credited, the
        request no longer counts as one that needed none.
        """
        if skills:
            self.remove([f"{turn}:{NO_SKILL}"])
        for name in skills or (NO_SKILL,):
            self.add(id=f"{turn}:{name}", text=text, client=client, skill=name, known=known)

    def add(
        self,
        *,
        id: str,  # noqa: A002
        text: str,
        client: str,
        skill: str,
        known: int = 0,
    ) -> None:
        """Store a request for which this skill was useful, or `NO_SKILL` for a request that needed
        none.

        `known` is the version of the skill library with which the request was answered. Entries
        whose ids differ only after the last colon are about the same request. Of the requests that
        needed no skill, only the newest are kept.
        """
        with self._writing, convert_errors(self._folder):
            self._put(id, text, {"client": client, "skill": skill, _KNOWN: known})
            with self._lock:
                too_old = self._by_client[client].oldest_without_skill(MOST_REFUSALS)
        if skill == NO_SKILL:
            self.remove(too_old)

    def _put(self, id_: str, text: str, meta: dict[str, Any]) -> None:
        vector = np.asarray(self._embedder.embed([text])[0], np.float32)
        client = str(meta["client"])
        self._take_in(client)
        self._collection.upsert(ids=[id_], embeddings=[vector], documents=[text], metadatas=[meta])
        with self._lock:
            self._drop({id_})
            past = self._by_client.setdefault(client, PastRequests())
            past.put(id_, str(meta["skill"]), vector, known=int(meta.get(_KNOWN, 0)))
            self._by_client.move_to_end(client)
            self._make_room()

    def _drop(self, ids: set[str]) -> None:
        for client, past in [*self._by_client.items()]:
            past.drop(ids)
            if past.empty:
                del self._by_client[client]

    def remove(self, ids: list[str]) -> None:
        """Delete the past requests with these ids from the database and the copy in memory."""
        with self._writing, convert_errors(self._folder):
            if ids:
                self._collection.delete(ids=ids)
            with self._lock:
                self._drop(set(ids))

    def remove_skill(self, *, client: str, skill: str) -> None:
        """Delete a skill's past requests; `client` is "" for a skill of all clients."""
        with self._writing, convert_errors(self._folder):
            found = self._collection.get(where={"skill": skill}, include=["metadatas"])
        pairs = zip(found["ids"], found["metadatas"] or [], strict=True)
        self.remove([id_ for id_, meta in pairs if owner_of(str(meta["client"])) == client])

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        """Return the ids of the stored past requests (exemplars) that came from these conversation
        turns.
        """
        wanted = frozenset(turns)
        with self._writing, convert_errors(self._folder):
            ids = self._collection.get(include=[])["ids"]
        return [one for one in ids if one.partition(":")[0] in wanted]

    def rewrite(self) -> None:
        """Rewrite the Chroma database so that deleted content is gone from its files.

        Chroma keeps deleted content in its queue, index and free pages. A crash leaves two
        collections; the next opening merges them.
        """
        with self._writing, convert_errors(self._folder):
            old, name = self._collection, self._collection.name
            new = self._client.get_or_create_collection(
                f"{name[:500]}-new",
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
            for offset in range(0, old.count(), _PAGE_SIZE):
                page = old.get(
                    limit=_PAGE_SIZE,
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
            scrub(self._folder)

    def count(self) -> int:
        """Return how many exemplars (past requests for which a skill was useful) are stored,
        including those that are on disk only.
        """
        with self._writing, convert_errors(self._folder):
            return len(self._collection.get(where={"skill": {"$ne": NO_SKILL}}, include=[])["ids"])

    @property
    def bytes_held(self) -> int:
        """Approximate number of bytes taken by the past requests that are held in memory."""
        with self._lock:
            return sum(past.bytes_held for past in self._by_client.values())


class _Exemplar(NamedTuple):
    """What `PastRequests.put` takes of a stored exemplar."""

    id: str
    skill: str
    vector: Vector
    known: int
