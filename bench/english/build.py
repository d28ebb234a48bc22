"""Makes the training set: own answers changed to keep rules, and answers that stay as they were.

A lesson is a line of `lessons.jsonl`, and `counts.json` says how many there are of which sort. The
same seed and the same own answers give the same bytes.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench.english.families import Family
from bench.english.habits import HABITS, SHARE, with_habit
from bench.english.own_answers import OwnAnswer, messages_of
from bench.english.prompts import PlainMessage, body_of, conversation, fact
from bench.english.rules import (
    MEASURED,
    TRAINED,
    Rule,
    draw,
    keep,
    kept,
    material,
    other_kind,
    several,
)
from bench.english.texts.questions import KINDS
from bench.english.texts.systems import LONGEST, client_text
from bench.english.transforms import tidied

SHARES: Final[Mapping[str, float]] = {
    "plain": 0.11,
    "habit": 0.07,
    "aside": 0.17,
    "one": 0.42,
    "two": 0.20,
    "three": 0.03,
}
"""Shares of lessons: without a rule; with a habit and no rule; only with rules that are not about
the request; with one, two or three rules to keep."""
OWN_KIND: Final = 0.3
"""Share of the lessons with rules to keep in which these are for the request's kind alone."""
BESIDE: Final = 0.2
"""Share of these in which a rule for another kind or a fact stands beside them."""
BEHIND: Final = 0.2
"""Share of lessons behind a client's system text."""
EARLIER: Final = 0.12
"""Share of lessons in which another question and answer stand before."""
LATER: Final = 0.06
"""Share of lessons whose block stands behind the newest message."""
TRIES: Final = 120

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A conversation and the answer that it should get."""

    sort: str
    messages: list[PlainMessage]
    answer: str
    ended: bool
    """Whether the model should end the answer there; else it was cut off."""
    plain: list[PlainMessage] | None
    """The messages without any rule, behind which the base would answer as it does; None where the
    lesson has no rule and yet another answer."""
    rules: tuple[tuple[str, str], ...] = ()
    """(family, value) of each rule that the answer keeps; of a habit its name."""
    own: str = ""
    """The model's own answer of which this one was made; "" where no rule changed it."""

    @property
    def stays(self) -> bool:
        """Whether the answer should be as likely as it is to the base without any rule."""
        return self.sort in ("plain", "aside")


def lessons(own: Sequence[OwnAnswer], count: int, *, seed: int, tokens_of: Count) -> list[Lesson]:
    """Make `count` lessons from own answers in their shares, in the order of training."""
    chance = random.Random(f"english lessons {seed}")
    usable = [one for one in own if len(tidied(one.answer, ended=one.ended)) > 1]
    made: list[Lesson] = []
    for sort in _sorts(chance, count):
        client = ""
        if chance.random() < BEHIND:
            client = client_text(chance, chance.randint(15, LONGEST), tokens_of, held=False)
        # drawn before the answer: else families that fit few answers would be rare
        family = _family(chance)
        for _ in range(TRIES):
            lesson = _lesson(chance, sort, family, chance.choice(usable), usable, client)
            if lesson is not None:
                made.append(lesson)
                break
    return made


def _sorts(chance: random.Random, count: int) -> list[str]:
    exact = {name: share * count for name, share in SHARES.items()}
    sorts = [name for name, share in exact.items() for _ in range(int(share))]
    sorts += chance.choices(list(SHARES), list(SHARES.values()), k=count - len(sorts))
    chance.shuffle(sorts)
    return sorts


def _family(chance: random.Random) -> Family:
    """Draw a family; those that people ask for most, which are also measured, come up twice."""
    return chance.choice((*TRAINED, *MEASURED))


def _lesson(
    chance: random.Random,
    sort: str,
    family: Family,
    own: OwnAnswer,
    others: Sequence[OwnAnswer],
    client: str,
) -> Lesson | None:
    """Make one lesson of a sort from an own answer; None if this one does not go with it."""
    turns = messages_of(own.asked)
    if sort in ("plain", "habit"):
        return _without_rules(chance, sort, own, conversation(turns, (), client=client))
    if sort == "aside":
        rules = [_of_another_kind(chance, own.kind) for _ in range(chance.choice((1, 1, 2)))]
        bodies = [body_of(chance, one, held=False) for one in rules]
        bodies += [fact(chance, held=False)] if chance.random() < 0.25 else []
        return Lesson(
            sort=sort,
            messages=conversation(turns, bodies, client=client),
            answer=own.answer,
            ended=own.ended,
            plain=conversation(turns, (), client=client),
        )
    rules = _rules(chance, sort, family, own.kind)
    before = material(chance, own.answer, ended=own.ended)
    answer = "" if kept(before, rules) else keep(before, rules)
    if not answer:
        return None
    if len(own.asked) == 1 and chance.random() < EARLIER / (1 - 1 / 7):
        earlier = _earlier(chance, chance.choice(others), rules)
        turns = [*earlier, *turns]
    bodies = [body_of(chance, one, held=False) for one in rules]
    if chance.random() < BESIDE:
        aside = _of_another_kind(chance, own.kind)
        about = chance.random() < 0.7
        bodies.append(body_of(chance, aside, held=False) if about else fact(chance, held=False))
        chance.shuffle(bodies)
    messages = conversation(turns, bodies, client=client, later=chance.random() < LATER)
    told = tuple((rule.family, rule.value) for rule in rules)
    return Lesson(
        sort=sort,
        messages=messages,
        answer=answer,
        ended=True,
        plain=conversation(turns, (), client=client),
        rules=told,
        own=own.answer,
    )


def _without_rules(
    chance: random.Random, sort: str, own: OwnAnswer, messages: list[PlainMessage]
) -> Lesson | None:
    if sort == "plain":
        return Lesson(
            sort=sort,
            messages=messages,
            answer=own.answer,
            ended=own.ended,
            plain=messages,
        )
    habit = chance.choice(HABITS)
    answer = with_habit(own.answer, habit)
    if not answer:
        return None
    return Lesson(
        sort=sort,
        messages=messages,
        answer=answer,
        ended=True,
        plain=None,
        rules=((habit.name, ""),),
    )


def _rules(chance: random.Random, sort: str, family: Family, kind: str) -> list[Rule]:
    count = {"one": 1, "two": 2, "three": 3}[sort]
    about = kind if kind in KINDS and chance.random() < OWN_KIND else ""
    named = chance.random() < 0.7
    if count == 1:
        return [draw(chance, family, held=False, kind=about, named=named)]
    return several(chance, family, count, held=False, kind=about, named=named)


def _of_another_kind(chance: random.Random, kind: str) -> Rule:
    family = _family(chance)
    other = other_kind(chance, kind, held=False)
    return draw(chance, family, held=False, kind=other, named=chance.random() < 0.7)


def _earlier(chance: random.Random, own: OwnAnswer, rules: Sequence[Rule]) -> list[PlainMessage]:
    """Return an exchange that came before, half of them with the rules kept already."""
    answer = tidied(own.answer, ended=own.ended)
    changed = keep(material(chance, own.answer, ended=own.ended), rules)
    said = changed if changed and chance.random() < 0.5 else answer
    return messages_of((own.asked[0], said))


def counts(made: Sequence[Lesson]) -> dict[str, dict[str, int]]:
    """Count lessons by sort, and by the family of their rules."""
    families = Counter(name for one in made if one.sort != "habit" for name, _ in one.rules)
    habits = Counter(one.rules[0][0] for one in made if one.sort == "habit")
    return {
        "sorts": dict(sorted(Counter(one.sort for one in made).items())),
        "families": dict(sorted(families.items())),
        "habits": dict(sorted(habits.items())),
    }


def write(made: Sequence[Lesson], work: Path) -> Path:
    """Write lessons and their counts into a folder and return the lessons' file."""
    file = work / "lessons.jsonl"
    file.write_text("".join(json.dumps(asdict(one)) + "\n" for one in made), "utf-8")
    (work / "counts.json").write_text(json.dumps(counts(made), indent=1) + "\n", "utf-8")
    return file


def read(file: Path) -> Iterator[Lesson]:
    """Read the lessons of a file that `write` made."""
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Lesson(**{**row, "rules": tuple((family, value) for family, value in row["rules"])})


assert abs(sum(SHARES.values()) - 1) < 1e-9
assert abs(SHARES["habit"] / (SHARES["habit"] + SHARES["plain"]) / len(HABITS) - SHARE) < 0.01
