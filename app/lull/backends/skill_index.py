"""Finds skills by the words of a request: BM25 (bm25s) over name, description and first lines.

One index for each room (everybody's, and each client that has skills of its own), built off the
request path when the library changes and swapped in whole. Background documents keep scores
comparable: in a library of one skill, a rare word must still weigh something.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence

import bm25s
import numpy as np
import numpy.typing as npt

from lull.backends.best import best
from lull.backends.request_kinds import KindShelf, RequestKinds
from lull.core.kind_rules import kind_rule
from lull.core.policy import Client, room_of
from lull.core.ports import ExemplarMemory
from lull.core.retrieval import is_aside, says_little, terms
from lull.core.skill import EVERYBODY, Library, Skill, SkillKey
from lull.core.skill import Room as LibraryRoom

BACKGROUND = 40
"""Documents about nothing in each index: so many that a word which two skills share still lifts
both over the floor."""
BODY_CHARACTERS = 300
"""Of a body, that are indexed: it often opens with when it applies."""
QUERY_CHARACTERS = 4000
"""Of a request, that are read: a pasted book must not make everybody wait."""
NEIGHBOURS = 32
BEST = 32
"""Skills whose score is handed on."""
SOMETHING = 1e-9
"""Less than any word weighs."""
COMMON = 8
"""A word is common when one document in so many holds it."""

Places = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

logging.getLogger("bm25s").setLevel(logging.WARNING)


class _Room:
    """The index of one room. bm25s weighs every word of every document beforehand; a request only
    adds up the weights of its own words, in the order and precision of bm25s itself."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        heads, documents = zip(*map(_words, skills), strict=True)
        length = max(1, sum(map(len, documents)) // len(documents))
        filler = [[f"\0{i}"] * length for i in range(BACKGROUND)]
        bm25 = bm25s.BM25(method="lucene")
        bm25.index([*documents, *filler], show_progress=False)
        self._keys = [skill.key for skill in skills]
        self.by_name = {key.name: key for key in self._keys}
        """A room has one skill of a name."""
        self._heads = heads
        self._vocabulary: dict[str, int] = {w: t for w, t in bm25.vocab_dict.items() if w}
        self._starts = bm25.scores["indptr"].tolist()
        self._documents: Places = bm25.scores["indices"]
        self._weights: Weights = bm25.scores["data"]
        self._count: int = bm25.scores["num_docs"]
        self._common = dict(self._columns())

    def scores(self, query: Sequence[str], *, least: float) -> dict[SkillKey, float]:
        """A body's words only add to what name and description say: "finish with sugar" must not
        bring a menu's style to "I finished work"."""
        found = self._found(query)[: len(self._keys)]
        places = np.flatnonzero(found >= max(least, SOMETHING))
        asked = set(query)
        said: dict[SkillKey, float] = {}
        for place, score in best(found[places], 4 * BEST):
            if len(said) == BEST:
                break
            skill = places[place]
            if not asked.isdisjoint(self._heads[skill]):
                said[self._keys[skill]] = score
        return said

    def _found(self, query: Sequence[str]) -> Weights:
        found = np.zeros(self._count, np.float32)
        for word in query:
            column = self._common.get(word)
            if column is not None:
                found += column
            elif (token := self._vocabulary.get(word)) is not None:
                its = slice(self._starts[token], self._starts[token + 1])
                found[self._documents[its]] += self._weights[its]
        return found

    def _columns(self) -> Iterator[tuple[str, Weights]]:
        """The weights of words that so many documents hold that a whole column is added faster."""
        for word, token in self._vocabulary.items():
            its = slice(self._starts[token], self._starts[token + 1])
            if COMMON * (its.stop - its.start) >= self._count:
                column = np.zeros(self._count, np.float32)
                column[self._documents[its]] = self._weights[its]
                yield word, column


def _words(skill: Skill) -> tuple[tuple[str, ...], list[str]]:
    """The words that a skill must be found by, and all that are indexed."""
    head = terms(f"{skill.name.replace('-', ' ')}\n{skill.description}")
    words = head + terms(skill.body[:BODY_CHARACTERS])
    return tuple(dict.fromkeys(head)), words or ["\0empty"]


class _Kinds:
    """The rules of one room that hold for a kind of request."""

    def __init__(self, kinds: RequestKinds, skills: Sequence[Skill]) -> None:
        rules = {skill.key: rule for skill in skills if (rule := kind_rule(skill)) is not None}
        self._keys = [*rules]
        self._shelf = KindShelf(kinds, [*rules.values()]) if rules else None
        self._kinds = kinds
        self._there = frozenset(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._there

    def scores(self, text: str, *, least: float) -> dict[SkillKey, float]:
        if self._shelf is None:
            return {}
        read = self._kinds.read(text)
        if read.small_talk:
            return {}
        found = self._shelf.likeness(read)
        places = np.flatnonzero(found >= least)
        return {self._keys[places[at]]: score for at, score in best(found[places], BEST)}


class WordIndex:
    """Implements SkillIndex. Before the first build it finds nothing."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Room | None] = {}
        self._memory: ExemplarMemory | None = None
        self._kinds: RequestKinds | None = None
        self._shelves: dict[str, _Kinds] = {}
        self._library = Library(-1, {})
        self._generation = -1
        self._building = asyncio.Lock()

    @property
    def built(self) -> bool:
        return bool(self._rooms)

    def remember_with(self, memory: ExemplarMemory) -> None:
        """From now on past requests are asked, too."""
        self._memory = memory

    async def tell_kinds_with(self, kinds: RequestKinds) -> None:
        """From now on rules for a kind of request are found by the kind, too."""
        async with self._building:
            self._kinds = kinds
            self._shelves = await asyncio.to_thread(self._shelve, self._library)

    async def follow(self, library: Library) -> None:
        """Index a new library; when this returns, requests find its skills. An older one that
        comes late changes nothing."""
        async with self._building:
            if library.generation >= self._generation:
                rooms = await asyncio.to_thread(self._build, library)
                shelves = await asyncio.to_thread(self._shelve, library)
                self._rooms, self._shelves, self._library = rooms, shelves, library
                self._generation = library.generation

    def _shelve(self, library: Library) -> dict[str, _Kinds]:
        if self._kinds is None:
            return {}
        return {
            client: _Kinds(self._kinds, [*room.skills.values()])
            for client, room in _rooms_of(library).items()
        }

    def _build(self, library: Library) -> dict[str, _Room | None]:
        # Asked of the library itself, which remembers its rooms: they are worked out here, in this
        # thread, and not by the first request that comes.
        return {
            client: self._room([*room.skills.values()])
            for client, room in _rooms_of(library).items()
        }

    def _room(self, skills: Sequence[Skill]) -> _Room | None:
        return _Room(skills) if skills else None

    def lexical(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        if is_aside(text):
            return {}
        query = sorted(set(terms(text[:QUERY_CHARACTERS])))
        room = self._room_of(client)
        found = room.scores(query, least=least) if room and query else {}
        shelf = self._shelf_of(client)
        # The words of a rule are those of one past request and of a wish: found by them alone, it
        # would come as often where it does not belong (ADR 40).
        return {key: score for key, score in found.items() if key not in shelf} if shelf else found

    def _room_of(self, client: Client) -> _Room | None:
        return self._rooms.get(client.name if client.apart else EVERYBODY)

    def kinds(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        shelf = self._shelf_of(client)
        if shelf is None or is_aside(text) or says_little(text[:QUERY_CHARACTERS]):
            return {}
        return shelf.scores(text, least=least)

    def _shelf_of(self, client: Client) -> _Kinds | None:
        return self._shelves.get(client.name if client.apart else EVERYBODY)

    def exemplars(self, text: str, *, client: Client, least: float = -1.0) -> dict[SkillKey, float]:
        """Skills whose nearest request is at least so near, by the 4-norm of their similarities:
        one near request counts as itself, and several that are less near add up."""
        if self._memory is None or is_aside(text):
            return {}
        nearest: dict[str, float] = {}
        powers: dict[str, float] = {}
        for _, skill, close in self._memory.nearest(text, client=client.identity, k=NEIGHBOURS):
            if skill in nearest:
                powers[skill] += max(close, 0.0) ** 4
            elif close >= least:
                nearest[skill], powers[skill] = close, max(close, 0.0) ** 4
        room = self._room_of(client)
        by_name = room.by_name if room else {}
        # One that has gone keeps its rank.
        return {
            by_name.get(skill) or SkillKey(room_of(client.identity), skill): max(
                powers[skill] ** 0.25, close
            )
            for skill, close in nearest.items()
        }


def _rooms_of(library: Library) -> dict[str, LibraryRoom]:
    return {
        client: library.room(client, apart=client != EVERYBODY)
        for client in (EVERYBODY, *library.clients)
    }
