"""The simulated people: their requests and corrections, written by somebody who knew none of the
code, and what they ask on which day.

A person has eight habits. Three are said in words, one of them about one kind of request; one is
said and replaced in the middle of the week; one is said in another program with a system text of
its own; two are never said, the person only rates the answers; and of one kind of request the
person wants nothing. What is asked on which day is drawn from the seed alone, so that every arm is
asked the same, and no request comes twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from bench.english.habits import HABITS
from bench.json_object import Json
from bench.workweek.person import Fault
from lull.core.chat.picks import Pick
from lull.core.checks.check import Check, CheckKind, Part
from lull.core.checks.check_answer import passes_check
from lull.core.skills.word_overlap import covered_share, words

FOLDER: Final = Path(__file__).parent / "people"
DAYS: Final = 6
CHANGE_DAY: Final = 4
"""Day from which one habit is replaced by another."""
VAGUE: Final = 0.2
"""Share of corrections that do not say what is wanted."""
WRONG: Final = 0.1
"""Share of corrections that ask for another form than the person wants."""
RATES_RIGHT: Final = 0.5
"""Share of right answers that the person rates; of the kinds that are only rated, all are."""
HOME: Final = ""
"""Most requests come from a program without a name of its own: what is said there holds
everywhere, and can be trained into the weights.
"""
DESK: Final = "desk"
"""A client with a system text of its own."""
SAID: Final = ("said_1", "said_2", "kind")
CHANGES: Final = "changes"
CLIENT: Final = "client"
RATED: Final = ("rated_a", "rated_b")
FREE: Final = "free"
A_DAY: Final = {"said_1": 2, "said_2": 2, "kind": 2, CHANGES: 2, CLIENT: 2, FREE: 2}
"""Requests of a day by habit; of each habit that is only rated there are more."""
RATED_A_DAY: Final = 3
PROBES: Final = 8
"""Requests kept for the evening of the last day, for each of two habits."""
_PICKS: Final = {
    (True, False): Pick.A,
    (False, True): Pick.B,
    (True, True): Pick.SAME,
    (False, False): Pick.NEITHER,
}
_SHOWS: Final = frozenset(
    (CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS, CheckKind.EMOJIS, CheckKind.BULLETS,
     CheckKind.NUMBERED_LIST, CheckKind.LOWER_CASE, CheckKind.UPPER_CASE)
)  # fmt: skip
"""Habits that an answer shows only if it was taught: where they are not wanted, it must not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    day: int
    number: int
    client: str
    habit: str
    """The one of the person's habits by which the answer is looked at."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str
    fault: Fault
    habit: str = ""
    """What it is about; "" where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    seed: int
    written: Json
    """What the author wrote (people/*.json)."""

    @property
    def system(self) -> str:
        """The system text of the desk's program."""
        return str(self.written["habits"][CLIENT]["system"])

    def check(self, habit: str, day: int) -> Check | None:
        """Return the check of what the person wants there on that day; None for nothing."""
        if habit in RATED:
            return self._rated()[RATED.index(habit)]
        if habit == FREE:
            return None
        return read_check(self._wanted(habit, day)["check"])

    def wish(self, habit: str, day: int) -> str:
        """Return in one sentence what the person wants there; "" if nothing is ever said of it."""
        return "" if habit in (*RATED, FREE) else str(self._wanted(habit, day)["wish"])

    def likes(self, request: Request, answer: str) -> bool:
        """Whether the answer is as the person wants it there."""
        check = self.check(request.habit, request.day)
        if check is not None:
            return passes_check(check, answer) is True
        of_others = (self.check(one, request.day) for one in ("kind", CLIENT, *RATED))
        shown = (one for one in of_others if one is not None and one.kind in _SHOWS)
        return answer.strip() != "" and not any(passes_check(one, answer) for one in shown)

    def corrects(self, request: Request) -> Said | None:
        """Return what the person says below an answer that they do not like; None if nothing."""
        if not self.wish(request.habit, request.day):
            return None
        chance = random.Random(f"{self.seed}:{request.day}:{request.number}:says")
        drawn = chance.random()
        if drawn < VAGUE:
            return Said(text=chance.choice(self.written["vague"]), fault=Fault.SLIP)
        wanted = self._wanted(request.habit, request.day)
        wrong = wanted.get("wrong", ())
        if wrong and drawn < VAGUE + WRONG:
            return Said(text=chance.choice(wrong), fault=Fault.WRONG, habit=request.habit)
        says: Sequence[str] = wanted["says"]
        text = says[(request.day - 1) % len(says)]
        return Said(text=text, fault=Fault.NONE, habit=request.habit)

    def rates(self, request: Request, *, right: bool) -> bool:
        """Whether the person rates an answer, as good if it is right, else as bad."""
        if request.habit in RATED:
            return True
        chance = random.Random(f"{self.seed}:{request.day}:{request.number}:rates")
        return right and chance.random() < RATES_RIGHT

    def meant(self, body: str, day: int) -> Said:
        """Return the correction that a skill was made of: the one that shares most words with it,
        with what is wrong with it on that day.
        """
        own = frozenset(words(body))
        said = self._everything_said(day)
        return max(said, key=lambda one: covered_share(frozenset(words(one.text)), own))

    def picks(self, said: Said, day: int, a: str, b: str) -> Pick:
        """Return which of two answers the person likes better: by what they want where they said
        this, since they know what they want also where they said it wrongly.
        """
        check = self.check(said.habit, day) if said.habit else None
        if check is None:
            return Pick.SAME
        return _PICKS[passes_check(check, a) is True, passes_check(check, b) is True]

    def day(self, day: int) -> list[Request]:
        """Return the requests of a day, in order."""
        chance = random.Random(f"{self.seed}:{day}:requests")
        asked = [
            (habit, text)
            for habit, texts in self._by_habit().items()
            for text in _share(texts, day, A_DAY.get(habit, RATED_A_DAY))
        ]
        chance.shuffle(asked)
        return [_request(day, number, habit, text) for number, (habit, text) in enumerate(asked)]

    def probes(self) -> list[Request]:
        """Return the requests of the last evening: of one habit that is said and one that is only
        rated.
        """
        texts = self._by_habit()
        wanted = [(habit, text) for habit in ("said_1", RATED[0])
                  for text in texts[habit][-PROBES:]]  # fmt: skip
        return [_request(DAYS, number, *one) for number, one in enumerate(wanted)]

    def _rated(self) -> list[Check]:
        """Return the habits that are only rated: two of those that the model shows now and then,
        and that can be kept beside what the person says.
        """
        said = [read_check(self._wanted(one, day)["check"])
                for one in (*SAID, CHANGES) for day in (1, DAYS)]  # fmt: skip
        taken = {_matter(one) for one in said}
        able = [one.check for one in HABITS if _matter(one.check) not in taken]
        return random.Random(f"{self.seed}:rated").sample(able, len(RATED))

    # What the author wrote

    def _wanted(self, habit: str, day: int) -> Json:
        found: Json = self.written["habits"][habit]
        return found["before" if day < CHANGE_DAY else "after"] if habit == CHANGES else found

    def _everything_said(self, day: int) -> list[Said]:
        habits = self.written["habits"]
        other = habits[CHANGES]["after" if day < CHANGE_DAY else "before"]
        wanted = {habit: self._wanted(habit, day) for habit in (*SAID, CHANGES, CLIENT)}
        found = [Said(text=text, fault=Fault.SLIP) for text in self.written["vague"]]
        found += [Said(text=t, fault=Fault.WRONG, habit=CHANGES) for t in other["says"]]
        for habit, one in wanted.items():
            found += [Said(text=t, fault=Fault.NONE, habit=habit) for t in one["says"]]
            found += [Said(text=t, fault=Fault.WRONG, habit=habit) for t in one.get("wrong", ())]
        return found

    def _by_habit(self) -> dict[str, list[str]]:
        """Return all requests by habit, shuffled; three habits share those of no kind."""
        habits, rated = self.written["habits"], self.written["rated"]
        general = _shuffled(self.written["general"], self.seed, "general")
        return {
            "said_1": general[0::3],
            "said_2": general[1::3],
            CHANGES: general[2::3],
            "kind": _shuffled(habits["kind"]["requests"], self.seed, "kind"),
            CLIENT: _shuffled(habits[CLIENT]["requests"], self.seed, CLIENT),
            RATED[0]: _shuffled(rated["requests_a"], self.seed, RATED[0]),
            RATED[1]: _shuffled(rated["requests_b"], self.seed, RATED[1]),
            FREE: _shuffled(self.written["free"]["requests"], self.seed, FREE),
        }


def _shuffled(texts: Sequence[str], seed: int, what: str) -> list[str]:
    return random.Random(f"{seed}:{what}").sample(list(texts), len(texts))


def _share(texts: Sequence[str], day: int, count: int) -> Sequence[str]:
    return texts[(day - 1) * count : day * count]


def _request(day: int, number: int, habit: str, text: str) -> Request:
    client = DESK if habit == CLIENT else HOME
    return Request(day=day, number=number, client=client, habit=habit, text=text)


def _matter(check: Check) -> str:
    return check.fixed_property or check.kind


def read_check(written: Json) -> Check:
    """Read a check as the author wrote it. Raises ValueError or TypeError for one that is none."""
    known = {**written, "kind": CheckKind(written["kind"]), "part": Part(written.get("part", ""))}
    return Check(**known)


@cache
def person(seed: int) -> Person:
    """Return the person of this number, from 0. Raises FileNotFoundError where there is none."""
    written = json.loads((FOLDER / f"p{seed}.json").read_text("utf-8"))
    return Person(seed=seed, written=written)
