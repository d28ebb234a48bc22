"""Lull's own retrieval as a request meets it: WordIndex, past requests, `ranked`.

Nothing of it is rebuilt here. Credit is given as verdicts would give it: each request is an
exemplar of the skills that it needs, or of none. With wrong credit three in ten are of another
skill instead, and three in ten of those that need none leave nothing behind, as where the product
cannot tell because a skill stood in the prompt. One memory serves all libraries of a collection: it
keeps rules, and `naming` says what their skills are called.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bench.retrieval.collection import Asked, Split, may_help
from bench.retrieval.collection import Collection as Requests
from bench.retrieval.libraries import Shelf, library
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.recollection import PastRequests
from lull.backends.retrieval.skill_index import WordIndex
from lull.core.chat.client import Client
from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from lull.core.skills.skill_ranking import RetrievalRule, ranked

RULE = RetrievalRule()
WRONG_SHARE = 0.3
CLIENT = Client(name="bench")


class Credit(StrEnum):
    NONE = "no exemplars"
    RIGHT = "right credit"
    WRONG = "30 % wrong credit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemplar:
    """A request with a skill that it is said to have wanted."""

    asked: Asked
    id: str
    skill: str
    """A rule's id, another skill's name, or `NO_SKILL`."""


def exemplars(
    requests: Requests, credit: Credit, others: Iterable[str], *, seed: int
) -> list[Exemplar]:
    """Every request of the collection with its credit, in their order; wrong credit goes to any
    other skill: another rule's, or one of `others`."""
    rng = random.Random(f"credit {credit.name} {seed} {requests.name}")
    skills = [*requests.words, *others]
    found = []
    for asked in requests.all_asked:
        for number, wanted in enumerate(sorted(asked.needs) or [NO_SKILL]):
            wrong = credit is Credit.WRONG and rng.random() < WRONG_SHARE
            if wrong and wanted == NO_SKILL:
                continue
            skill = rng.choice([s for s in skills if s != wanted]) if wrong else wanted
            found.append(Exemplar(asked=asked, id=f"{asked.id}:{number}", skill=skill))
    return found


class HeldOut:
    """Implements ExemplarMemory with the product's own recollection, without the exemplars that
    must not help."""

    def __init__(self, exemplars_: Iterable[Exemplar], requests: Requests) -> None:
        self.naming: Mapping[str, str] = {}
        """Rule → what its skill is called in the library that is asked."""
        self._requests = requests
        self._exemplars = list(exemplars_)
        self._embedder = HashedNgrams()
        self._vectors = {one.id: self._vector(one.asked.text) for one in self._exemplars}
        self._recollection = PastRequests()
        self._there: set[str] = set()
        self.hide(None, Split.OTHERS)

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        return np.asarray(self._embedder.embed([text])[0], np.float32)

    def hide(self, asked: Asked | None, split: Split) -> None:
        """From now on only requests that may help this one are exemplars; None: all."""
        wanted = {
            one.id: one
            for one in self._exemplars
            if asked is None or may_help(one.asked, asked, split)
        }
        self._recollection.drop(self._there - wanted.keys())
        for one in wanted.values():
            if one.id not in self._there:
                vector = self._vectors[one.id]
                self._recollection.put(one.id, one.skill, vector, known=one.asked.order)
        self._there = set(wanted)

    def scores_by_skill(
        self,
        text: str,
        *,
        client: str,
        since: Callable[[str], int | None],
        also: Collection[str],
        least: float,
    ) -> dict[str, PastRequestScores]:
        query = self._vector(text)
        if not query.any():
            return {}
        rule_of = {name: rule for rule, name in self.naming.items()}
        found = self._recollection.scores_by_skill(
            query,
            since=lambda skill: since(self.naming.get(skill, skill)),
            also={rule_of.get(name, name) for name in also},
            least=least,
        )
        return {self.naming.get(skill, skill): said for skill, said in found.items()}

    def credited(self) -> Iterator[str]:
        """The skill of every exemplar that may help."""
        for one in self._exemplars:
            if one.id in self._there:
                yield one.skill

    def count(self) -> int:
        return sum(skill != NO_SKILL for skill in self.credited())


class Lull:
    """The product's retrieval over one library."""

    def __init__(self, shelf: Shelf, requests: Requests) -> None:
        self._shelf = shelf
        self._library = library(shelf, requests.since)
        self._words = WordIndex()
        asyncio.run(self._words.follow(self._library))

    def found(self, text: str, memory: HeldOut | None) -> list[str]:
        """Names of skills above the floors, best first, as `loops/chat/select_skills.py` takes
        them."""
        words = self._words.lexical(text, client=CLIENT, least=RULE.lexical_floor)
        past = {}
        if memory is not None:
            memory.naming = self._shelf.name_of
            self._words.use_memory(memory)
            past = self._words.exemplars(text, client=CLIENT, least=RULE.exemplar_floor, also=words)
        order = ranked(lexical=words, exemplars=past, uses={}, rule=RULE)
        # An exemplar speaks for the client's own skill and for everybody's of that name.
        there = self._library.skills_for(CLIENT.name, isolated=CLIENT.apart).skills
        return [key.name for key in order if key in there]
