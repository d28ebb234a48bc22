"""Data types of a rule set: the task that is asked, the style of the work, and the rule that
changes the style.

A rule is one convention of a made-up workplace. It changes one aspect of how work is done (a field
of `Style` that no other rule touches, so rules of one set cannot contradict each other) and comes
with checks, with three phrasings of a skill that teaches it, and with examples for questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from enum import StrEnum

from bench.private_rules.checks import Check, Place


class Phrasing(StrEnum):
    TERSE = "terse"
    ORDINARY = "ordinary"
    SITUATIONAL = "situational"


class Feature(StrEnum):
    """A feature of a task that rules can be about."""

    FREE_NAME = "a new file whose name the user leaves open"
    EDIT = "a file that is there and is changed"
    TIMES = "moments in a record"
    MONEY = "prices"
    QUANTITY = "weights"
    PEOPLE = "names of people"
    ITEMS = "things that are numbered"
    DOCUMENT = "a document to read"
    LETTER = "a letter"
    TABLE = "a table"
    CODE = "a script"
    QUESTION = "a sum to answer in chat"
    WORK = "any work on files"


class Kind(StrEnum):
    EVENTS = "events"
    STOCK = "stock"
    ROSTER = "roster"
    PRICES = "prices"
    NOTES = "notes"
    LETTER = "letter"
    SCRIPT = "script"
    EDIT = "edit"
    SUM = "sum"


FEATURES: dict[Kind, frozenset[Feature]] = {
    Kind.EVENTS: frozenset({Feature.TIMES, Feature.WORK}),
    Kind.STOCK: frozenset({Feature.QUANTITY, Feature.ITEMS, Feature.WORK}),
    Kind.ROSTER: frozenset({Feature.PEOPLE, Feature.WORK}),
    Kind.PRICES: frozenset({Feature.TABLE, Feature.MONEY, Feature.WORK}),
    Kind.NOTES: frozenset({Feature.DOCUMENT, Feature.WORK}),
    Kind.LETTER: frozenset({Feature.LETTER, Feature.WORK}),
    Kind.SCRIPT: frozenset({Feature.CODE, Feature.WORK}),
    Kind.EDIT: frozenset({Feature.EDIT, Feature.WORK}),
    Kind.SUM: frozenset({Feature.QUESTION}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    given: str
    family: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of a record: what was done by whom, when, with which weight and price."""

    what: str
    who: Person
    at: datetime
    """Time of the entry in the workplace's time zone."""
    grams: int
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The content of a task as values; its wording is in `Request`."""

    id: str
    kind: Kind
    day: str
    """Name of the day's folder, such as `day03`."""
    on: date
    topic: str
    """Topic of the task, such as `flour deliveries`."""
    ending: str
    """File ending with its dot; "" for a chat answer."""
    path: str
    """Path that the user gave for the result, or of the file to change; "" if the name is free."""
    lines: tuple[Line, ...]
    recipient: str
    done: int
    """Number of file tasks on this day up to and including this one."""
    before: str = ""
    """Current text of the file to change."""

    @property
    def features(self) -> frozenset[Feature]:
        open_ = self.kind not in (Kind.EDIT, Kind.SUM) and not self.path
        return FEATURES[self.kind] | ({Feature.FREE_NAME} if open_ else frozenset())

    @property
    def place(self) -> Place:
        if self.path:
            return Place(path=self.path)
        return Place(folder=self.day, keyword=self.topic, ending=self.ending)


def plain_name(task: Task) -> str:
    return task.topic.title().replace(" ", "") + task.ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How work is done by default; each rule replaces the fields of one aspect."""

    name: Callable[[Task], str] = plain_name
    stamp: Callable[[datetime], str] = lambda at: f"{at:%d/%m/%Y %H:%M}"
    money: Callable[[int], str] = lambda cents: f"{cents / 100:.2f}"
    weight: Callable[[int], str] = lambda grams: f"about {grams / 1000:g} kilos"
    person: Callable[[Person], str] = lambda p: f"{p.given} {p.family}"
    number: Callable[[int], str] = str
    head: Callable[[Task], str] = lambda task: ""
    """Returns the text before a document's title."""
    tail: str = ""
    """Text after a document's last line."""
    opening: Callable[[str], str] = lambda to: f"Hi {to},"
    closing: str = "Bye"
    delimiter: str = "\t"
    columns: Callable[[str], str] = lambda name: f"the {name}"
    first_line: str = "import json"
    docstrings: bool = False
    annotations: bool = False
    copy: Callable[[str], str] | None = None
    """Maps a file's name to its backup copy's name; None: no copy is made."""
    log: tuple[str, Callable[[Task], str]] | None = None
    """Path of a work log, and a function that makes the line for a task; None: there is no log."""
    result: Callable[[str], str] = lambda result: f"That makes {result}, I think."


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One phrasing of the skill that teaches a rule."""

    name: str
    description: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    id: str
    """Name of the rule's family; a rule set has at most one rule of a family."""
    needs: Feature
    said: str
    """The convention as one sentence, in the words of a user who corrects somebody."""
    words: dict[Phrasing, Words]
    styled: Callable[[Style], Style]
    checks: Callable[[Task], tuple[Check, ...]]
    about: str
    """What the rule's examples are, such as `file names`."""
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    def concerns(self, task: Task) -> bool:
        return self.needs in task.features


def zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))
