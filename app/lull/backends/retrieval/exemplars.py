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
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from lull.backends.retrieval.chroma_collection import ChromaCollection
from lull.backends.retrieval.chroma_folder import DamagedVectors
from lull.backends.retrieval.exemplar_store import PAGE_SIZE, ExemplarLabel, ExemplarStore, Vector
from lull.backends.retrieval.recollection import Foreseen, PastRequests
from lull.core.chat.client import owner_of
from lull.core.errors import StoreError
from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from lull.core.skills.ports import Embedder

log = logging.getLogger(__name__)

MOST_REFUSALS = 2000
"""Most past requests that needed no skill, kept per client; they are far more frequent than others.
"""
MOST_MEMORY_BYTES = 160 * 2**20
"""Most bytes of memory for past requests of all clients together: some forty clients
with hundreds of rated requests each, or thousands with a few."""


class ChromaExemplars:
    """Stores exemplars (past requests with the skills that were useful for them) in the vector
    database Chroma.

    Implements `ExemplarMemory`. Opening takes seconds: create it off the request path.
    """

    def __init__(
        self,
        folder: Path,
        embedder: Embedder,
        store: ExemplarStore | None = None,
        *,
        most_bytes: int = MOST_MEMORY_BYTES,
    ) -> None:
        """Read the database folder, through `store` if Chroma shall not be loaded in this process;
        a damaged folder is moved aside (`kept_aside`). One that is not there is made when something
        is stored.

        Past requests of clients for which `most_bytes` of memory do not suffice stay on disk, and
        are read when that client asks. Raises StoreError.
        """
        self.kept_aside: Path | None = None
        self._embedder = embedder
        self._store = store or ChromaCollection(folder, embedder.name)
        # Two locks, so that requests can search while another thread writes to disk.
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._most_bytes = most_bytes
        self._by_client: OrderedDict[str, PastRequests] = OrderedDict()
        """Past requests in memory by client, the one heard of last at the end."""
        self._on_disk: set[str] = set()
        """Clients whose past requests are not in memory."""
        self._unremoved: set[str] = set()
        """Ids that are gone from memory, and could not be removed from the disk yet."""
        self._reading = False
        self._foreseeing = False
        if not folder.exists():
            return
        try:
            self._open()
        except DamagedVectors as error:
            self.kept_aside = self._store.set_aside()
            log.warning("%s; it was kept as %s", error.detail, self.kept_aside)
            self._open()

    def _open(self) -> None:
        self._take_over_older()
        self._load()

    def _take_over_older(self) -> None:
        """Compute the vectors anew that other embedders computed, then delete those."""
        older = self._store.of_other_embedders()
        for label, text in older:
            self._store.put(label, self._vector(text), text)
        if older:
            log.info("exemplars rebuilt for embedder %s", self._embedder.name)
        self._store.drop_other_embedders()

    def _vector(self, text: str) -> Vector:
        return np.asarray(self._embedder.embed([text])[0], np.float32)

    def _load(self) -> None:
        self._by_client, self._on_disk = OrderedDict(), set()
        for number, (label, vector) in enumerate(self._stored()):
            if number % PAGE_SIZE == 0:
                self._make_room()
            # Of a client that was left on the disk, all is read when it asks.
            if label.client not in self._on_disk:
                past = self._by_client.setdefault(label.client, PastRequests())
                past.put(label.id, label.skill, vector, label.known)
        self._make_room()

    def _stored(self, client: str | None = None) -> Iterator[tuple[ExemplarLabel, Vector]]:
        """Yield every exemplar with its vector; of one client if it is given."""
        offset, size = 0, PAGE_SIZE
        while size == PAGE_SIZE:
            page = self._store.page(offset, client=client)
            yield from (one for one in page if one[0].id not in self._unremoved)
            size = len(page)
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
            with self._writing:
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
        for label, vector in self._stored(client):
            past.put(label.id, label.skill, vector, label.known)
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
        query = self._vector(text)
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
        with self._writing:
            self._put(ExemplarLabel(id, client, skill, known), text)
            with self._lock:
                too_old = self._by_client[client].oldest_without_skill(MOST_REFUSALS)
        if skill == NO_SKILL:
            self.remove(too_old)

    def _put(self, label: ExemplarLabel, text: str) -> None:
        vector = self._vector(text)
        self._remove_waiting()
        self._take_in(label.client)
        self._store.put(label, vector, text)
        with self._lock:
            self._drop({label.id})
            past = self._by_client.setdefault(label.client, PastRequests())
            past.put(label.id, label.skill, vector, label.known)
            self._by_client.move_to_end(label.client)
            self._make_room()

    def _drop(self, ids: set[str]) -> None:
        for client, past in [*self._by_client.items()]:
            past.drop(ids)
            if past.empty:
                del self._by_client[client]

    def remove(self, ids: list[str]) -> None:
        """Delete the past requests with these ids from the copy in memory and the database.

        Raises StoreError if the database does not work now: then they are no longer found, and are
        removed from it before anything else is stored or rewritten there.
        """
        with self._writing:
            with self._lock:
                self._drop(set(ids))
            self._unremoved.update(ids)
            self._remove_waiting()

    def _remove_waiting(self) -> None:
        """Remove from the database what was only removed from memory. Holds `_writing`."""
        if self._unremoved:
            self._store.remove(sorted(self._unremoved))
            self._unremoved.clear()

    def remove_skill(self, *, client: str, skill: str) -> None:
        """Delete a skill's past requests; `client` is "" for a skill of all clients."""
        with self._writing:
            found = self._store.of_skill(skill)
        self.remove([one.id for one in found if owner_of(one.client) == client])

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        """Return the ids of the stored past requests (exemplars) that came from these conversation
        turns.
        """
        wanted = frozenset(turns)
        with self._writing:
            ids = self._store.ids()
        return [one for one in ids if one.partition(":")[0] in wanted]

    def rewrite(self) -> None:
        """Rewrite the database so that deleted content is gone from its files."""
        with self._writing:
            self._remove_waiting()
            self._store.rewrite()

    def count(self) -> int:
        """Return how many exemplars (past requests for which a skill was useful) are stored,
        including those that are on disk only.
        """
        with self._writing:
            if self._on_disk:
                return self._store.count()
            with self._lock:
                held = [pair for past in self._by_client.values() for pair in past.pairs]
        return sum(skill != NO_SKILL for _, skill in held)

    @property
    def bytes_held(self) -> int:
        """Approximate number of bytes taken by the past requests that are held in memory."""
        with self._lock:
            return sum(past.bytes_held for past in self._by_client.values())
