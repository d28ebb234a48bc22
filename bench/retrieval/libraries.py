"""Libraries of a given size: a collection's own skills among skills that nobody asks for."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

from bench.private_rules import Phrasing
from bench.private_rules.rule import Words
from bench.retrieval.collection import Collection
from lull.core.skill import EVERYBODY, Library, Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One library, as words: what every system under test gets."""

    skills: tuple[Words, ...]
    """In no telling order."""
    name_of: dict[str, str]
    """Rule → the name of its skill in this phrasing."""
    rule_of: dict[str, str]
    """The other way round."""


def shelf(
    collection: Collection, phrasing: Phrasing, size: int, others: Sequence[Words], seed: int
) -> Shelf:
    """The collection's skills, filled up to `size` from `others`."""
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


def library(shelf_: Shelf) -> Library:
    """The same as Lull's library: everybody's, active, none pinned."""
    skills = [
        Skill(
            client=EVERYBODY,
            name=words.name,
            version=1,
            sha256=hashlib.sha256(words.body.encode()).hexdigest(),
            description=words.description,
            body=words.body,
        )
        for words in shelf_.skills
    ]
    return Library(generation=1, skills={skill.key: skill for skill in skills})
