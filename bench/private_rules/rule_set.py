"""Builds a rule set from a seed: its conventions, the day each begins, and the requests of each
day.

Two days belong to each rule, most tasks of which fall under it; rules that began before stay in
force, and the last days mix them all. So a request needs the rules in force that concern its task.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bench.private_rules.asking import UNRULED, words
from bench.private_rules.checks import Check, CheckKind
from bench.private_rules.conventions import FAMILIES
from bench.private_rules.rule import FEATURES, Feature, Kind, Line, Rule, Task, zone
from bench.private_rules.worlds import PEOPLE, WORLDS, World

RULES = 7
DAYS_A_RULE = 2
TASKS_A_DAY = 8
ON_THE_NEW_RULE = 6
"""Number of a day's tasks that the newly introduced rule applies to; the others are drawn
freely.
"""
QUIZZES_A_DAY = 2
MIXED_DAYS = 1
ENDINGS: dict[Kind, tuple[str, ...]] = {
    Kind.EVENTS: (".json",),
    Kind.STOCK: (".json",),
    Kind.ROSTER: (".json",),
    Kind.PRICES: (".csv",),
    Kind.NOTES: (".md",),
    Kind.LETTER: (".txt",),
    Kind.SCRIPT: (".py",),
    Kind.EDIT: (".txt", ".md", ".lst"),
    Kind.SUM: ("",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One user message: a task with checks, or a question with options to tick."""

    id: str
    day: str
    text: str
    rules: tuple[str, ...]
    """Ids of the rules in force that a right answer needs; none for small talk."""
    task: Task | None = None
    checks: tuple[Check, ...] = ()
    wording: str = ""
    """Id of the wording; requests with the same id were made from the same sentence templates."""
    options: tuple[tuple[str, bool], ...] = ()
    """The question's options A, B, … as (text, whether it is right)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    id: str
    on: date
    introduces: str
    """Id of the rule that this day and the next are about; "" for a mixed day."""
    in_force: tuple[str, ...]
    requests: tuple[Request, ...]
    unruled: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    seed: int
    world: str
    rules: tuple[Rule, ...]
    """The rules, in the order in which they begin."""
    days: tuple[Day, ...]

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(request for day in self.days for request in day.requests)


def rule_set(seed: int) -> RuleSet:
    """Build the rule set of a seed; the result is the same on every machine."""
    rng = random.Random(f"private rules {seed}")
    world = rng.choice(WORLDS)
    names = sorted(rng.sample(sorted(FAMILIES), RULES), key=lambda _: rng.random())
    # What holds for all work would be needed by every request from then on: it begins last.
    names.sort(key="worklog".__eq__)
    rules = tuple(FAMILIES[name](rng) for name in names)
    return RuleSet(seed=seed, world=world.name, rules=rules, days=tuple(_days(rng, world, rules)))


def _days(rng: random.Random, world: World, rules: Sequence[Rule]) -> Iterator[Day]:
    on = date(rng.randint(2030, 2039), rng.randint(1, 12), rng.randint(1, 28))
    hours = rng.randint(-8, 10)
    for number in range(len(rules) * DAYS_A_RULE + MIXED_DAYS):
        arc = number // DAYS_A_RULE
        new = rules[arc] if arc < len(rules) else None
        in_force = rules[: arc + 1]
        drawn = _Drawn(rng, world, f"day{number + 1:02d}", on, hours, in_force)
        about: list[Rule | None] = [new] * ON_THE_NEW_RULE if new else []
        about += [None] * (TASKS_A_DAY - len(about))
        rng.shuffle(about)
        tasks = drawn.tasks(about)
        requests = [_asked(task, in_force, rng) for task in tasks]
        for slot in range(QUIZZES_A_DAY):
            id_ = f"r{TASKS_A_DAY + slot + 1}"
            requests.append(_quiz(id_, drawn.day, new or rng.choice(rules), rules, rng))
        yield Day(
            id=drawn.day,
            on=on,
            introduces=new.id if new else "",
            in_force=tuple(rule.id for rule in in_force),
            requests=tuple(requests),
            unruled=tuple(drawn.unruled(2)),
        )
        on += timedelta(days=rng.choice([1, 1, 1, 3]))


class _Drawn:
    """Draws the tasks of one day; no topic occurs twice in it."""

    def __init__(
        self,
        rng: random.Random,
        world: World,
        day: str,
        on: date,
        hours: int,
        in_force: Sequence[Rule],
    ) -> None:
        self.day = day
        self._rng = rng
        self._world = world
        self._on = on
        self._hours = hours
        self._named = any(rule.needs is Feature.FREE_NAME for rule in in_force)
        self._topics = rng.sample(world.topics, len(world.topics))

    def tasks(self, about: Sequence[Rule | None]) -> list[Task]:
        done, tasks = 0, []
        for slot, rule in enumerate(about, 1):
            tasks.append(self._task(f"r{slot}", rule, done))
            done = tasks[-1].done
        return tasks

    def _task(self, id_: str, for_: Rule | None, done: int) -> Task:
        kinds = [kind for kind in Kind if for_ is None or _may_need(kind, for_.needs)]
        kind = self._rng.choice(kinds)
        ending = self._rng.choice(ENDINGS[kind])
        topic = self._topics.pop()
        path = ""
        if kind is not Kind.SUM and not self._left_open(kind, for_):
            path = f"{self.day}/{topic.replace(' ', '-')}{ending}"
        lines = tuple(self._lines(kind))
        return Task(
            id=f"{self.day}-{id_}",
            kind=kind,
            day=self.day,
            on=self._on,
            topic=topic,
            ending=ending,
            path=path,
            lines=lines,
            recipient=self._rng.choice(self._world.outside),
            done=done + (kind is not Kind.SUM),
            before=_as_it_is(topic, lines) if kind is Kind.EDIT else "",
        )

    def _left_open(self, kind: Kind, for_: Rule | None) -> bool:
        if kind is Kind.EDIT or not self._named:
            return False
        meant = for_ is not None and for_.needs is Feature.FREE_NAME
        return meant or self._rng.random() < 0.5

    def _lines(self, kind: Kind) -> Iterator[Line]:
        rng = self._rng
        pool = self._world.doings if kind is Kind.EVENTS else self._world.things
        start = datetime(self._on.year, self._on.month, self._on.day, 7, tzinfo=zone(self._hours))
        for what in rng.sample(pool, rng.choice([2, 3])):
            yield Line(
                what=what,
                who=rng.choice(PEOPLE),
                at=start + timedelta(minutes=5 * rng.randint(0, 130)),
                grams=rng.randint(3, 48) if kind is Kind.SUM else 50 * rng.randint(3, 190),
                cents=rng.randint(4, 60) if kind is Kind.SUM else 25 * rng.randint(6, 400),
            )

    def unruled(self, count: int) -> Iterator[str]:
        for form in self._rng.sample(UNRULED, count):
            yield form.format(topic=self._topics.pop(), world=self._world.name)


def _may_need(kind: Kind, feature: Feature) -> bool:
    if feature is Feature.FREE_NAME:
        return kind not in (Kind.EDIT, Kind.SUM)
    return feature in FEATURES[kind]


def _as_it_is(topic: str, lines: Sequence[Line]) -> str:
    """Return the content of a file to change: all lines but the last."""
    return "".join(f"{line}\n" for line in (topic, *(line.what for line in lines[:-1])))


def _asked(task: Task, in_force: Sequence[Rule], rng: random.Random) -> Request:
    needed = [rule for rule in in_force if rule.concerns(task)]
    checks = [*_wanted(task), *(check for rule in needed for check in rule.checks(task))]
    text, wording = words(task, rng)
    return Request(
        id=task.id,
        day=task.day,
        text=text,
        wording=wording,
        rules=tuple(rule.id for rule in needed),
        task=task,
        checks=tuple(checks),
    )


def _wanted(task: Task) -> Iterator[Check]:
    """Yield the checks of the request itself, so that doing nothing passes nothing."""
    count = len(task.lines)
    where = {
        Kind.EVENTS: "entries[].what",
        Kind.STOCK: "items[].name",
        Kind.ROSTER: "people[].role",
    }
    if task.kind in where:
        params = {"path": where[task.kind], "least": count}
        yield Check(kind=CheckKind.COUNT, rule="", place=task.place, params=params)
    elif task.kind is Kind.EDIT:
        params = {"pattern": task.lines[-1].what}
        yield Check(kind=CheckKind.TEXT, rule="", place=task.place, params=params)
    elif task.kind is Kind.SUM:
        product = task.lines[0].grams * task.lines[0].cents
        params = {"pattern": rf"(?<!\d){product}(?!\d)"}
        yield Check(kind=CheckKind.ANSWER, rule="", params=params)
    else:
        least = count + 1 if task.kind is Kind.PRICES else 2
        yield Check(kind=CheckKind.COUNT, rule="", place=task.place, params={"least": least})


_ASKED = (
    "Which of these {about} are as we have them here? Tick all that are.",
    "I have several {about} before me. Which would pass with us?",
    "Looking at these {about}: which may stay as they are?",
)


def _quiz(id_: str, day: str, rule: Rule, rules: Sequence[Rule], rng: random.Random) -> Request:
    right = rng.sample(rule.right, rng.randint(1, len(rule.right)))
    wrong = rng.sample(rule.wrong, rng.choice([2, 3]))
    options = [(text, True) for text in right] + [(text, False) for text in wrong]
    rng.shuffle(options)
    shown = "\n".join(f"{chr(65 + i)}. {text}" for i, (text, _) in enumerate(options))
    ask = rng.choice(_ASKED).format(about=rule.about)
    return Request(
        id=f"{day}-{id_}",
        day=day,
        text=f"{ask}\n\n{shown}\n\nAnswer using \\bbox{{X}} or \\bbox{{X,Y}}.",
        rules=(rule.id,),
        wording=f"quiz-{rule.id}",
        options=tuple(options),
    )
