"""The simulated person: what they ask for, how they want it, and how they correct a wrong answer.

The person has habits for all kinds of request but one. Lull is told of most in the person's own
words, when an answer is not as they want it; two habits are never said, the person only rates
answers. What is asked on which day is drawn from the seed alone, so that every arm is asked the
same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.pocket import habits, parsing
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

DAYS: Final = 10
CHANGE_DAY: Final = 4
"""Day from which one of the person's habits is replaced by another."""
REQUESTS_OF_A_KIND: Final = 8
SLIP: Final = 0.1
"""Share of a careful person's corrections that are slips of the tongue."""
CARELESS: Final = 0.3
"""Share of a careless person's corrections that would do no good as a skill, or harm: half of them
are slips of the tongue, half ask for what the person does not want.
"""
RATES_RIGHT: Final = 0.5
"""Share of right answers that the person rates; of the kinds that are only rated, all answers
are.
"""
EVERYBODY: Final = ""
ANNA: Final = "anna"
BEN: Final = "ben"
CLIENTS: Final = (ANNA, BEN)
"""Two client programs with addresses of their own, whose users want opposite things for one kind of
request.
"""
FREE: Final = Kind.PLAN
"""A kind of request without a habit, whose answers must not get worse."""
CONTESTED: Final = Kind.LABEL
CHANGING: Final = Kind.MENU
RATED: Final = (Kind.ROUTE, Kind.NOTE)
"""Kinds of request whose habits are never said: the person only rates their answers."""


class Fault(StrEnum):
    """What is wrong with a correction, or with the skill that is made of it."""

    NONE = "none"
    SLIP = "slip"
    """It names the kind for which there is no habit, and would spoil those answers."""
    WRONG = "wrong"
    """It names the right kind and something that is not wanted there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    client: str
    kind: Kind
    style: Style
    since: int
    """First day on which the habit is wanted."""
    until: int = DAYS
    """Last day on which the habit is wanted."""

    def holds(self, day: int) -> bool:
        return self.since <= day <= self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    day: int
    number: int
    """Number of the request among those of its day."""
    client: str
    kind: Kind
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str
    rule: str
    """The rule that the correction states, as a sentence."""
    fault: Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    seed: int
    habits: tuple[Habit, ...]

    def style(self, client: str, kind: Kind, day: int) -> Style:
        """Return the style wanted for a kind of request on this day; the default style without a
        habit.
        """
        return next(
            (h.style for h in self.habits if (h.client, h.kind) == (client, kind) and h.holds(day)),
            pocket.DEFAULT_STYLE,
        )

    def wants(self, request: Request) -> str:
        style = self.style(request.client, request.kind, request.day)
        return pocket.render(request.kind, request.words, style)

    def day(self, day: int) -> list[Request]:
        """Return the requests of a day, in order."""
        chance = random.Random(f"{self.seed}:{day}:requests")
        wanted = list(self._kinds())
        chance.shuffle(wanted)
        return [
            _request(chance, day, number, client, kind)
            for number, (client, kind) in enumerate(wanted)
        ]

    def _kinds(self) -> Iterator[tuple[str, Kind]]:
        for kind in Kind:
            clients = CLIENTS if kind is CONTESTED else (EVERYBODY,)
            for number in range(REQUESTS_OF_A_KIND):
                yield clients[number % len(clients)], kind

    def corrects(self, request: Request, *, careless: bool = False) -> Said | None:
        """Return what the person says about a wrong answer; None if they have no habit for this
        kind, or only rate it.
        """
        chance = random.Random(f"{self.seed}:{request.day}:{request.number}:says")
        style = self.style(request.client, request.kind, request.day)
        if not style or request.kind in RATED:
            return None
        fault = _fault(chance.random(), careless=careless)
        if fault is Fault.WRONG:
            style = chance.choice([one for one in habits.HABITS if one != style])
        kind = FREE if fault is Fault.SLIP else request.kind
        rule = pocket.draw_rule(chance, kind, style)
        said = pocket.draw_correction(chance, rule)
        return Said(text=said, rule=pocket.as_sentence(rule), fault=fault)

    def rates(self, request: Request, *, right: bool) -> bool:
        """Whether the person rates an answer, as good if it was right, else as bad."""
        if request.kind in RATED:
            return True
        chance = random.Random(f"{self.seed}:{request.day}:{request.number}:rates")
        return right and chance.random() < RATES_RIGHT

    def fault_of(self, client: str, rule: str, day: int) -> Fault:
        """Return what is wrong with a skill whose body is this rule, for what is wanted now. A
        slip that was said in a client's own program is useless rather than harmful: nobody asks
        that client for plans.
        """
        read = parsing.parse_rule(rule)
        if read is None or read[0] is FREE:
            return Fault.SLIP
        kind, style = read
        clients = CLIENTS if kind is CONTESTED and not client else (client or EVERYBODY,)
        wanted = [set(self.style(one, kind, day).parts()) for one in clients]
        return Fault.NONE if any(set(style.parts()) <= parts for parts in wanted) else Fault.WRONG


def _fault(drawn: float, *, careless: bool) -> Fault:
    if drawn >= (CARELESS if careless else SLIP):
        return Fault.NONE
    return Fault.WRONG if careless and drawn < CARELESS / 2 else Fault.SLIP


def _request(chance: random.Random, day: int, number: int, client: str, kind: Kind) -> Request:
    words = pocket.draw_words(chance)
    text = pocket.draw_request(chance, kind, words)
    return Request(day=day, number=number, client=client, kind=kind, words=words, text=text)


def person(seed: int) -> Person:
    """Draw a person from a seed, with habits of one part and of two."""
    chance = random.Random(f"{seed}:habits")
    joiners = chance.sample(habits.HABIT_JOINERS, 4)
    starts = chance.sample(habits.HABIT_STARTS, 2)
    ends = chance.sample(habits.HABIT_ENDS, 2)

    def everybodys(kind: Kind, since: int, style: Style, until: int = DAYS) -> Habit:
        return Habit(client=EVERYBODY, kind=kind, style=style, since=since, until=until)

    before = Style(joiner=joiners[0], end=ends[0])
    after = Style(joiner=joiners[0], end=ends[1])
    return Person(
        seed=seed,
        habits=(
            everybodys(CHANGING, 1, before, until=CHANGE_DAY - 1),
            everybodys(CHANGING, CHANGE_DAY, after),
            everybodys(Kind.LIST, 1, Style(joiner=joiners[1])),
            everybodys(RATED[0], 1, Style(reverse=True)),
            everybodys(RATED[1], 1, Style(start=starts[0])),
            Habit(client=ANNA, kind=CONTESTED, style=Style(joiner=joiners[2]), since=1),
            Habit(client=BEN, kind=CONTESTED, style=Style(joiner=joiners[3]), since=1),
        ),
    )
