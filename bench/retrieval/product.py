"""Lull's own retrieval as a request meets it: WordIndex, exemplars in a real Chroma, `ranked`.

Nothing of it is rebuilt here. Credit is given as the user's ratings would give it: each request is
an exemplar of the skills that it needs, or, with wrong credit, of another skill at times. One
memory serves all libraries of a collection: it keeps rules, and `HeldOut` names their skills.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from bench.retrieval.collection import Asked, Collection, Split, may_help
from bench.retrieval.libraries import Shelf, library
from lull.backends.chroma import ChromaExemplars
from lull.backends.embedder import HashedNgrams
from lull.backends.skill_index import WordIndex
from lull.core.policy import Client
from lull.core.ports import Neighbour
from lull.core.retrieval import RetrievalRule, ranked

RULE = RetrievalRule()
WRONG_SHARE = 0.3


class Credit(StrEnum):
    NONE = "no exemplars"
    RIGHT = "right credit"
    WRONG = "30 % wrong credit"


def fill(
    memory: ChromaExemplars, collection: Collection, others: Iterable[str], *, seed: int
) -> None:
    """Every request of the collection, once with right and once with partly wrong credit; wrong
    credit goes to any other skill: another rule's, or one of `others`."""
    rng = random.Random(f"credit {seed} {collection.name}")
    skills = [*collection.words, *others]
    for credit in (Credit.RIGHT, Credit.WRONG):
        for asked in collection.asked:
            for number, rule in enumerate(sorted(asked.needs)):
                wrong = credit is Credit.WRONG and rng.random() < WRONG_SHARE
                skill = rng.choice([s for s in skills if s != rule]) if wrong else rule
                memory.add(
                    id=f"{collection.name}/{credit.name}/{asked.id}/{number}",
                    text=asked.text,
                    client=_room(collection, credit),
                    skill=skill,
                )


def _room(collection: Collection, credit: Credit) -> str:
    return f"{collection.name} {credit.name}".replace(" ", "-")


class HeldOut:
    """Implements ExemplarMemory over a real one, without the exemplars that must not help."""

    def __init__(self, memory: ChromaExemplars, name_of: Mapping[str, str]) -> None:
        self.hidden: frozenset[str] = frozenset()
        """Ids of requests."""
        self._memory = memory
        self._name_of = name_of

    def nearest(self, text: str, *, client: str, k: int) -> list[Neighbour]:
        # A request has an exemplar for each skill that it needs.
        near = self._memory.nearest(text, client=client, k=k + 8 * len(self.hidden))
        kept = [one for one in near if one.id.split("/")[2] not in self.hidden][:k]
        return [
            Neighbour(
                id=one.id,
                skill=self._name_of.get(one.skill, one.skill),
                similarity=one.similarity,
            )
            for one in kept
        ]

    def add(self, *, id: str, text: str, client: str, skill: str) -> None:  # noqa: A002
        raise NotImplementedError("read only")

    def remove_skill(self, *, client: str, skill: str) -> None:
        raise NotImplementedError("read only")

    def count(self) -> int:
        return self._memory.count()


class Lull:
    """The product's retrieval over one library."""

    def __init__(self, shelf: Shelf, collection: Collection, memory: ChromaExemplars) -> None:
        self._index = WordIndex()
        self._library = library(shelf)
        asyncio.run(self._index.follow(self._library))
        self._memory = HeldOut(memory, shelf.name_of)
        self._index.remember_with(self._memory)
        self._collection = collection

    def hide(self, asked: Asked | None, split: Split) -> None:
        """From now on only requests that may help this one are exemplars; None: all."""
        self._memory.hidden = (
            frozenset(o.id for o in self._collection.asked if not may_help(o, asked, split))
            if asked
            else frozenset()
        )

    def found(self, text: str, credit: Credit) -> list[str]:
        """Names of skills above the floors, best first, as `loops/fix_skills.py` takes them."""
        client = Client(name=_room(self._collection, credit))
        order = ranked(
            lexical=self._index.lexical(text, client=client),
            exemplars=self._index.exemplars(text, client=client),
            uses={},
            rule=RULE,
        )
        # An exemplar speaks for the client's own skill and for everybody's of that name.
        there = self._library.room(client.name, apart=client.apart).skills
        return [key.name for key in order if key in there]


def open_memory(folder: Path) -> ChromaExemplars:
    return ChromaExemplars(folder, HashedNgrams())
