"""The simulated person: what they ask for, how they want it, and how they correct a wrong answer.

The person has a habit for some kinds of request and none for others. Lull is told of a habit in the
person's own words, when an answer is not as they want it, and never otherwise. What is asked on
which day is drawn from the seed alone, so that every arm is asked the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lull.pocket import habits
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

DAYS: Final = 10
CHANGE_DAY: Final = 6
"""Day from which one of the person's habits is replaced by another."""
REQUESTS_OF_A_KIND: Final = 8
SLIP: Final = 0.1
"""Share of corrections that are slips of the tongue: they name a kind for which there is no
habit.
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
    slip: bool


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

    def corrects(self, request: Request) -> Said | None:
        """Return what the person says about a wrong answer; None if they have no habit for this
        kind.
        """
        chance = random.Random(f"{self.seed}:{request.day}:{request.number}:says")
        style = self.style(request.client, request.kind, request.day)
        if not style:
            return None
        slip = chance.random() < SLIP
        rule = pocket.draw_rule(chance, FREE if slip else request.kind, style)
        return Said(text=pocket.draw_correction(chance, rule), slip=slip)


def _request(chance: random.Random, day: int, number: int, client: str, kind: Kind) -> Request:
    words = pocket.draw_words(chance)
    text = pocket.draw_request(chance, kind, words)
    return Request(day=day, number=number, client=client, kind=kind, words=words, text=text)


def person(seed: int) -> Person:
    """Draw a person from a seed, with habits of one, two and three parts."""
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
            everybodys(Kind.ROUTE, 2, Style(reverse=True)),
            everybodys(Kind.NOTE, 3, Style(start=starts[0])),
            Habit(client=ANNA, kind=CONTESTED, style=Style(joiner=joiners[2]), since=1),
            Habit(client=BEN, kind=CONTESTED, style=Style(joiner=joiners[3]), since=1),
        ),
    )
