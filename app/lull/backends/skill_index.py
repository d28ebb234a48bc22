"""Finds skills by the words of a request: BM25 (bm25s) over name, description and first lines.

One index for each room (everybody's, and each client that has skills of its own), built off the
request path when the library changes and swapped in whole. Background documents keep scores
comparable: in a library of one skill, a rare word must still weigh something.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bm25s
import numpy as np

from lull.core.policy import Client
from lull.core.ports import ExemplarMemory
from lull.core.retrieval import terms
from lull.core.skill import EVERYBODY, Library, Skill, SkillKey

BACKGROUND = 40
"""Documents about nothing in each index: so many that a word which two skills share still lifts
both over the floor."""
BODY_CHARACTERS = 300
"""Of a body, that are indexed: it often opens with when it applies."""
QUERY_CHARACTERS = 4000
"""Of a request, that are read: a pasted book must not make everybody wait."""
NEIGHBOURS = 8
BEST = 32
"""Skills whose score is handed on."""

logging.getLogger("bm25s").setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True)
class _Room:
    keys: list[SkillKey]
    heads: list[frozenset[str]]
    """Words of each name and description."""
    bm25: Any

    def scores(self, query: list[str]) -> dict[SkillKey, float]:
        """A body's words only add to what name and description say: "finish with sugar" must not
        bring a menu's style to "I finished work"."""
        found = np.asarray(self.bm25.get_scores(query))[: len(self.keys)]
        best = np.argsort(-found)[: 4 * BEST]
        said = [i for i in best if found[i] > 0 and not self.heads[i].isdisjoint(query)]
        return {self.keys[i]: float(found[i]) for i in said[:BEST]}


class WordIndex:
    """Implements SkillIndex. Before the first build it finds nothing."""

    def __init__(self) -> None:
        self._rooms: dict[tuple[str, bool], _Room | None] = {}
        self._memory: ExemplarMemory | None = None
        self._terms: dict[str, tuple[frozenset[str], list[str]]] = {}
        self._generation = -1
        self._building = asyncio.Lock()

    @property
    def built(self) -> bool:
        return bool(self._rooms)

    def remember_with(self, memory: ExemplarMemory) -> None:
        """From now on past requests are asked, too."""
        self._memory = memory

    async def follow(self, library: Library) -> None:
        """Index a new library; when this returns, requests find its skills. An older one that
        comes late changes nothing."""
        async with self._building:
            if library.generation >= self._generation:
                self._rooms = await asyncio.to_thread(self._build, library)
                self._generation = library.generation

    def _build(self, library: Library) -> dict[tuple[str, bool], _Room | None]:
        keys = [(EVERYBODY, False)]
        keys += [(client, apart) for client in library.clients for apart in (True, False)]
        return {
            key: self._room(list(library.room(key[0], apart=key[1]).skills.values()))
            for key in keys
        }

    def _room(self, skills: Sequence[Skill]) -> _Room | None:
        if not skills:
            return None
        heads, documents = zip(*map(self._document, skills), strict=True)
        length = max(1, sum(map(len, documents)) // len(documents))
        filler = [[f"\0{i}"] * length for i in range(BACKGROUND)]
        bm25 = bm25s.BM25(method="lucene")
        bm25.index([*documents, *filler], show_progress=False)
        return _Room([skill.key for skill in skills], list(heads), bm25)

    def _document(self, skill: Skill) -> tuple[frozenset[str], list[str]]:
        """The words that it must be found by, and all words."""
        if skill.sha256 not in self._terms:
            head = terms(f"{skill.name.replace('-', ' ')}\n{skill.description}")
            words = head + terms(skill.body[:BODY_CHARACTERS])
            self._terms[skill.sha256] = frozenset(head), words or ["\0empty"]
        return self._terms[skill.sha256]

    def lexical(self, text: str, *, client: Client) -> dict[SkillKey, float]:
        query = sorted(set(terms(text[:QUERY_CHARACTERS])))
        own = self._rooms.get((client.name, client.apart))
        room = own if own or client.apart else self._rooms.get((EVERYBODY, False))
        return room.scores(query) if room and query else {}

    def exemplars(self, text: str, *, client: Client) -> dict[SkillKey, float]:
        if self._memory is None:
            return {}
        best: dict[SkillKey, float] = {}
        for near in self._memory.nearest(text, client=client.name, k=NEIGHBOURS):
            for key in (SkillKey(client.name, near.skill), SkillKey(EVERYBODY, near.skill)):
                best[key] = max(best.get(key, -1.0), near.similarity)
        return best
