"""Builds skill libraries of a given size: a collection's own skills among unneeded ones."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.private_rules import Phrasing
from bench.private_rules.rule import Words
from bench.retrieval.collection import Collection
from lull.core.skills.skill import EVERYBODY, Library, Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One skill library as plain texts, which every tested retrieval system gets."""

    skills: tuple[Words, ...]
    """The library's skills, in an order that reveals nothing."""
    name_of: dict[str, str]
    """Maps a rule to the name of its skill in this phrasing."""
    rule_of: dict[str, str]
    """Maps a skill's name to its rule."""


def shelf(
    collection: Collection, phrasing: Phrasing, size: int, others: Sequence[Words], seed: int
) -> Shelf:
    """Build a library of the collection's skills, filled up to `size` from `others`."""
    own = {rule: words[phrasing] for rule, words in collection.words.items()}
    skills = [*own.values(), *others[: size - len(own)]]
    if len({skill.name for skill in skills}) != size:
        raise ValueError(f"{collection.name}: {size} skills need {size} names")
    random.Random(f"shelf {seed}").shuffle(skills)
    return Shelf(
        skills=tuple(skills),
        name_of={rule: words.name for rule, words in own.items()},
        rule_of={words.name: rule for rule, words in own.items()},
    )


def library(shelf_: Shelf, since: Mapping[str, int] | None = None) -> Library:
    """The same as Lull's library: everybody's, active, none pinned. `since` holds the generation
    that brought a rule's skill."""
    came = since or {}
    skills = [
        Skill(
            client=EVERYBODY,
            name=words.name,
            version=1,
            sha256=hashlib.sha256(words.body.encode()).hexdigest(),
            description=words.description,
            body=words.body,
            since=came.get(shelf_.rule_of.get(words.name, ""), 0),
        )
        for words in shelf_.skills
    ]
    return Library(generation=1, skills={skill.key: skill for skill in skills})
