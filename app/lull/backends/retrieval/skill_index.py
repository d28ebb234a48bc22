"""Finds skills (instruction texts) by a request's words: BM25 (bm25s) over name, description and
first lines.

There is one index for the shared skills and one for each client with skills of its own, built off
the request path when the library changes and swapped in at once. Scores are comparable between
libraries of different size: filler documents give a rare word weight even in a library with one
skill, and scores are divided by how much a chance match grows with the library.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import bm25s
import numpy as np
import numpy.typing as npt

from lull.backends.reader.request_kinds import KindRuleSet, RequestKinds
from lull.backends.retrieval.top_k import k_largest
from lull.core.chat.client import Client, owner_of
from lull.core.skills.kind_rules import RuleWithExample, kind_rule
from lull.core.skills.ports import ExemplarMemory
from lull.core.skills.skill import EVERYBODY, ClientSkills, Library, Skill, SkillKey
from lull.core.skills.skill_ranking import past_request_score
from lull.core.skills.subject_words import (
    is_aside,
    one_word_suffices,
    says_little,
    stop_words,
    terms,
)

BACKGROUND = 40
"""Number of filler documents in each index.

They let a word shared by two skills still lift both above the score threshold.
"""
BODY_CHARACTERS = 300
"""Characters of a skill's body that are indexed; it often begins with when it applies."""
QUERY_CHARACTERS = 4000
"""Most characters of a request that are read, so that a pasted book does not slow it down."""
HEAD_WEIGHT = 3
"""How often a word of the name or description counts, against once in the body: they say what a
skill is about (weighted fields: Robertson, Zaragoza & Taylor, CIKM 2004)."""
BESIDE_WEIGHT = 0.5
"""Weight of a word that does not tell what a text is about ("for", "when"), against 1 for one that
does (a subject word). It only adds to the score of a skill that shares a subject word.
"""
BEST = 32
"""Most skills that one search of the index returns."""
LEAST_SCORE = 1e-9
"""Score that is lower than any word's weight. Every skill that scores more has matched a word."""
COMMON_ONE_IN = 8
"""A word counts as common if it is in at least one of this many documents."""

_EMPTY = ["\0empty"]

RowPlaces = npt.NDArray[np.int32]
WordWeights = npt.NDArray[np.float32]

logging.getLogger("bm25s").setLevel(logging.WARNING)


class _ClientIndex:
    """The index of the skills that one client's requests choose from.

    bm25s precomputes every word's weight in every document; a request adds up its words' weights in
    bm25s's own order and precision.
    """

    def __init__(self, skills: Sequence[Skill]) -> None:
        documents = [_words(skill) for skill in skills]
        length = max(1, sum(map(len, documents)) // len(documents))
        filler = [[f"\0{i}"] * length for i in range(BACKGROUND)]
        bm25 = bm25s.BM25(method="lucene")
        bm25.index([*documents, *filler], show_progress=False)
        self._keys = [skill.key for skill in skills]
        self.by_name = {skill.name: skill for skill in skills}
        """The skills by name, which is unique among them."""
        self._said = [frozenset(terms(_text(skill))) for skill in skills]
        self._scale = chance_match_growth(len(skills))
        self._vocabulary: dict[str, int] = {w: t for w, t in bm25.vocab_dict.items() if w}
        self._starts = bm25.scores["indptr"].tolist()
        self._documents: RowPlaces = bm25.scores["indices"]
        self._weights: WordWeights = bm25.scores["data"]
        self._count: int = bm25.scores["num_docs"]
        self._common = dict(self._columns())

    def scores(
        self, query: Sequence[str], beside: Sequence[str], *, least: float, remark: bool
    ) -> dict[SkillKey, float]:
        """Return the keyword scores of the best skills, for a request's subject words and the words
        beside them.

        A remark shares some word with one of many skills by chance, so one subject word alone
        counts less there, and the words beside it nothing.
        """
        about = self._found(query)[: len(self._keys)] / np.float32(self._scale)
        more = self._found(beside)[: len(self._keys)] * np.float32(BESIDE_WEIGHT / self._scale)
        found = about + more
        places = ((about >= LEAST_SCORE) & (found >= least)).nonzero()[0]
        asked = frozenset(query)
        said: dict[SkillKey, float] = {}
        for place, score in k_largest(found[places], 4 * BEST):
            if len(said) == BEST:
                break
            skill = places[place]
            if remark and len(asked & self._said[skill]) == 1:
                score = float(about[skill]) / self._scale**0.5  # noqa: PLW2901
            if score >= least:
                said[self._keys[skill]] = score
        return said

    def _found(self, query: Sequence[str]) -> WordWeights:
        found = np.zeros(self._count, np.float32)
        for word in query:
            column = self._common.get(word)
            if column is not None:
                found += column
            elif (token := self._vocabulary.get(word)) is not None:
                its = slice(self._starts[token], self._starts[token + 1])
                found[self._documents[its]] += self._weights[its]
        return found

    def _columns(self) -> Iterator[tuple[str, WordWeights]]:
        """Yield full weight columns for common words, which are faster to add whole."""
        for word, token in self._vocabulary.items():
            its = slice(self._starts[token], self._starts[token + 1])
            if COMMON_ONE_IN * (its.stop - its.start) >= self._count:
                column = np.zeros(self._count, np.float32)
                column[self._documents[its]] = self._weights[its]
                yield word, column


def chance_match_growth(skills: int) -> float:
    """Return by which factor the best accidental word match scores higher in a library of this many
    skills than in a library of one skill.

    The weight of a rare word, and so the best of many chance matches, grows with the logarithm of
    the number of documents.
    """
    return (math.log(skills + BACKGROUND) - 1) / (math.log(1 + BACKGROUND) - 1)


def _words(skill: Skill) -> list[str]:
    """Return a skill's indexed words."""
    head, body = _head(skill), skill.body[:BODY_CHARACTERS]
    about = HEAD_WEIGHT * [*terms(head), *_marked(stop_words(head))]
    return [*about, *terms(body), *_marked(stop_words(body))] or _EMPTY


def _text(skill: Skill) -> str:
    return f"{_head(skill)}\n{skill.body[:BODY_CHARACTERS]}"


def _head(skill: Skill) -> str:
    return f"{skill.name.replace('-', ' ')}\n{skill.description}"


def _beside(text: str) -> list[str]:
    """The words without a subject, each once."""
    return _marked(set(stop_words(text)))


def _marked(beside: Iterable[str]) -> list[str]:
    """Mark words without a subject, so that none is taken for a subject word."""
    return [f"\1{word}" for word in beside]


class _Kinds:
    """The rules for one client's requests that apply to a kind of request."""

    def __init__(self, kinds: RequestKinds, skills: Sequence[Skill]) -> None:
        rules = {skill.key: rule for skill in skills if (rule := kind_rule(skill)) is not None}
        self._keys = [*rules]
        self._shelf = KindRuleSet(kinds, [*rules.values()]) if rules else None
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
        found = self._shelf.probabilities(read)
        places = np.flatnonzero(found >= least)
        return {self._keys[places[at]]: score for at, score in k_largest(found[places], BEST)}


class WordIndex:
    """Finds skills (instruction texts) by the words of a request; implements `SkillIndex` and
    `KindMatch`.

    It finds nothing before it has indexed a skill library.
    """

    def __init__(self) -> None:
        self._indexes: dict[str, _ClientIndex | None] = {}
        self._memory: ExemplarMemory | None = None
        self._kinds: RequestKinds | None = None
        self._shelves: dict[str, _Kinds] = {}
        self._library = Library(-1, {})
        self._generation = -1
        self._building = asyncio.Lock()

    @property
    def built(self) -> bool:
        """Whether a skill library has been indexed."""
        return bool(self._indexes)

    def use_memory(self, memory: ExemplarMemory) -> None:
        """From now on, find skills also by similar past requests stored in this memory."""
        self._memory = memory

    async def use_kinds(self, kinds: RequestKinds) -> None:
        """From now on, find skills also by the request's kind (such as e-mail), using this
        classifier.
        """
        async with self._building:
            self._kinds = kinds
            self._shelves = await asyncio.to_thread(self._shelve, self._library)

    async def follow(self, library: Library) -> None:
        """Index a new version of the skill library; when this returns, requests find its skills.

        A version older than the indexed one is ignored.
        """
        async with self._building:
            if library.generation >= self._generation:
                indexes = await asyncio.to_thread(self._build, library)
                shelves = await asyncio.to_thread(self._shelve, library)
                self._indexes, self._shelves, self._library = indexes, shelves, library
                self._generation = library.generation

    async def with_library(self, library: Library) -> WordIndex:
        """Return a new index of another skill library, which uses the same past requests and the
        same classifier of request kinds; this index does not change.
        """
        made = WordIndex()
        made._memory, made._kinds = self._memory, self._kinds
        await made.follow(library)
        return made

    def _shelve(self, library: Library) -> dict[str, _Kinds]:
        if self._kinds is None:
            return {}
        return {
            client: _Kinds(self._kinds, [*own.skills.values()])
            for client, own in _skills_by_client(library).items()
        }

    def _build(self, library: Library) -> dict[str, _ClientIndex | None]:
        # The library caches these skills; computing them here spares the first request.
        return {
            client: _ClientIndex([*own.skills.values()]) if own.skills else None
            for client, own in _skills_by_client(library).items()
        }

    def lexical(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        if is_aside(text):
            return {}
        text = text[:QUERY_CHARACTERS]
        query = sorted(set(terms(text)))
        index = self._index_of(client)
        if not index or not query:
            return {}
        remark = not one_word_suffices(text, subjects=len(query))
        found = index.scores(query, sorted(_beside(text)), least=least, remark=remark)
        shelf = self._shelf_of(client)
        # A rule's words come from one past request and a wish; found by words alone, it would
        # match as often where it does not apply (ADR 40).
        return {key: score for key, score in found.items() if key not in shelf} if shelf else found

    def _index_of(self, client: Client) -> _ClientIndex | None:
        return self._indexes.get(client.name if client.apart else EVERYBODY)

    def kinds(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        shelf = self._shelf_of(client)
        return {} if shelf is None or _has_no_kind(text) else shelf.scores(text, least=least)

    def kind_probability(self, rule: RuleWithExample, text: str) -> float | None:
        if self._kinds is None:
            return None
        if _has_no_kind(text):
            return 0.0
        read = self._kinds.read(text)
        fits = KindRuleSet(self._kinds, [rule]).probabilities(read)
        return 0.0 if read.small_talk else float(fits[0])

    def _shelf_of(self, client: Client) -> _Kinds | None:
        return self._shelves.get(client.name if client.apart else EVERYBODY)

    def exemplars(
        self,
        text: str,
        *,
        client: Client,
        least: float = -1.0,
        also: Collection[SkillKey] = (),
    ) -> dict[SkillKey, float]:
        if self._memory is None or is_aside(text):
            return {}
        index = self._index_of(client)
        by_name = index.by_name if index else {}

        def since(name: str) -> int | None:
            # A removed skill keeps its rank.
            skill = by_name.get(name)
            return skill.since if skill else 0

        asked = {key.name: key for key in also}
        recalled = self._memory.scores_by_skill(
            text, client=client.identity, since=since, also=asked.keys(), least=least
        )
        little = says_little(text[:QUERY_CHARACTERS])
        scores: dict[SkillKey, float] = {}
        for name, said in recalled.items():
            score = past_request_score(said, says_little=little)
            if score >= least or name in asked:
                there = by_name.get(name)
                scores[there.key if there else SkillKey(owner_of(client.identity), name)] = score
        return scores


def _has_no_kind(text: str) -> bool:
    """Whether a request says too little to be of any kind."""
    return is_aside(text) or says_little(text[:QUERY_CHARACTERS])


def _skills_by_client(library: Library) -> dict[str, ClientSkills]:
    return {
        client: library.skills_for(client, isolated=client != EVERYBODY)
        for client in (EVERYBODY, *library.clients)
    }
