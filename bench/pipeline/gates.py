"""The gate of each pipeline stage: a program that finds definite errors in the stage's work.

A gate looks at the work itself and at what it was made of. What a later stage finds wrong with an
earlier one's accepted work stands in `sent_back`. Words found here are said to the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean, stdev
from typing import Any, Final

from bench.pipeline.experiment import Broken, measured, problems
from bench.pipeline.house import Rule, broken
from bench.pipeline.topics import Topic
from bench.pipeline.work import Stage, cited, decimals, entries, lines, read_json, table

LEAST_SEEDS: Final = 3
MOST_SEEDS: Final = 30
ROUNDING_TOLERANCE: Final = 0.0051
"""Tolerance when numbers are compared; it demands at least two decimals."""
LEAST_QUOTED: Final = 3
Measured = list[tuple[str, int, float]]


@dataclass(slots=True)
class Desk:
    """The material of a stage: the topic and the work accepted so far."""

    topic: Topic
    works: dict[Stage, str] = field(default_factory=dict)
    measured: Measured = field(default_factory=list)

    @property
    def chosen(self) -> list[str]:
        return [str(one.get("id")).lower() for one in entries(self.works[Stage.GATHER])]

    @property
    def seeds(self) -> int:
        return int(read_json(self.works[Stage.DESIGN])["seeds"])

    @property
    def statistics(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = read_json(self.works[Stage.STATISTICS])
        return found


def wrong_with(stage: Stage, text: str, desk: Desk) -> list[str]:
    """Return what is wrong with a stage's work, apart from the house conventions."""
    if not text.strip():
        return ["there is nothing."]
    try:
        return list(_GATES[stage](text, desk))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return [f"it cannot be read as what was asked for ({str(error)[:120]})."]


def against_house(stage: Stage, text: str, rules: Sequence[Rule]) -> list[Rule]:
    """Return the house conventions broken by this work that are checked in the same stage."""
    here = [rule for rule in rules if rule.stage is stage and rule.found_at is stage]
    return broken(here, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An error in earlier work, found by a later stage."""

    stage: Stage
    words: str


def sent_back(stage: Stage, desk: Desk, rules: Sequence[Rule]) -> Finding | None:
    """Return the first error that this stage finds in earlier work; None if there is none."""
    if stage is Stage.NUMBERS and (wrong := next(_wrong_numbers(desk), None)):
        return Finding(stage=Stage.DRAFT, words=wrong)
    for rule in rules:
        late = rule.found_at is stage and rule.stage is not stage
        if late and broken([rule], desk.works[rule.stage]):
            return Finding(stage=rule.stage, words=rule.said)
    return None


def _wrong_numbers(desk: Desk) -> Iterator[str]:
    known = {float(one) for one in decimals(desk.works[Stage.STATISTICS])}
    numbers = decimals(desk.works[Stage.DRAFT])
    for one in numbers:
        if float(one) not in known:
            yield f"The draft says {one}, which stands nowhere in the statistics."
    for arm, found in desk.statistics.items():
        if float(found["mean"]) not in map(float, numbers):
            yield f"The draft does not give the mean of {arm} as it stands in the statistics."


# -- the gates ---------------------------------------------------------------------------------

Gate = Callable[[str, Desk], Iterator[str]]


def _sections(text: str, wanted: Sequence[str]) -> Iterator[str]:
    for name in wanted:
        if not re.search(rf"(?m)^#+ *{name}\b", text):
            yield f"there is no section {name}."


def _names_arms(text: str, desk: Desk) -> Iterator[str]:
    for arm in desk.topic.arms:
        if arm not in text:
            yield f"the arm {arm} is not named."


def _plan(text: str, desk: Desk) -> Iterator[str]:
    yield from _sections(text, ("Question", "Method", "Measure"))
    yield from _names_arms(text, desk)


def _gather(text: str, desk: Desk) -> Iterator[str]:
    known = {note.id: note for note in desk.topic.notes}
    found = entries(text)
    ids = [str(one["id"]).lower() for one in found]
    for one in found:
        note = known.get(str(one["id"]).lower())
        if note is None:
            yield f"there is no note {one['id']}."
        elif not note.bears:
            yield f"{note.id} does not bear on the question."
        elif int(one["year"]) != note.year:
            yield f"{note.id} is not of {one['year']}."
    missing = [note.id for note in desk.topic.notes if note.bears and note.id not in ids]
    if missing:
        yield f"notes that bear on the question are missing: {', '.join(missing)}."


def _hypotheses(text: str, desk: Desk) -> Iterator[str]:
    found = lines(text)
    if len(found) != 3:
        yield f"three hypotheses are wanted, each on a line, not {len(found)}."
    for one in found:
        if not any(arm in one for arm in desk.topic.arms):
            yield f"this line names no arm: {one[:60]}"


def _design(text: str, desk: Desk) -> Iterator[str]:
    found = read_json(text)
    if list(found["arms"]) != list(desk.topic.arms):
        yield f"the arms are {', '.join(desk.topic.arms)}."
    if type(found["seeds"]) is not int or not LEAST_SEEDS <= found["seeds"] <= MOST_SEEDS:
        yield f"seeds is a whole number from {LEAST_SEEDS} to {MOST_SEEDS}."
    if not str(found["measure"]).strip():
        yield "it does not say what is measured."


def _code(text: str, desk: Desk) -> Iterator[str]:
    wrong = problems(text)
    yield from wrong
    if wrong:
        return
    try:
        once, again = (measured(text, desk.topic.arms, [1, 2]) for _ in range(2))
    except Broken as why:
        yield str(why)
        return
    if once != again:
        yield "the same seed does not give the same number."
    for arm, seed, value in once:
        if not desk.topic.low <= value <= desk.topic.high:
            yield f"experiment({arm!r}, {seed}) gave {value:g}, which cannot be."


def _run(text: str, desk: Desk) -> Iterator[str]:
    found = read_json(text)
    seeds = list(found["seeds"])
    if list(found["arms"]) != list(desk.topic.arms):
        yield f"the arms are {', '.join(desk.topic.arms)}."
    elif not all(type(seed) is int for seed in seeds) or len(set(seeds)) != len(seeds):
        yield "seeds is a list of whole numbers, each once."
    elif len(seeds) != desk.seeds:
        yield f"the design wants {desk.seeds} seeds, not {len(seeds)}."
    else:
        try:
            desk.measured = measured(desk.works[Stage.CODE], desk.topic.arms, seeds)
        except Broken as why:
            yield str(why)


def _parse(text: str, desk: Desk) -> Iterator[str]:
    found, wanted = sorted(table(text)), sorted(desk.measured)
    if len(found) != len(wanted):
        yield f"there are {len(wanted)} results, not {len(found)}."
    for row in islice((row for row in found if row not in wanted), 2):
        yield f"this is none of the results: {row[0]}, {row[1]}, {row[2]:g}."


def _statistics(text: str, desk: Desk) -> Iterator[str]:
    found = read_json(text)
    rows = table(desk.works[Stage.PARSE])
    if set(found) != set(desk.topic.arms):
        yield f"it has one object for each arm: {', '.join(desk.topic.arms)}."
        return
    for arm in desk.topic.arms:
        values = [value for one, _, value in rows if one == arm]
        right = {"n": len(values), "mean": fmean(values), "sd": stdev(values)}
        for name, value in right.items():
            if abs(float(found[arm][name]) - value) > ROUNDING_TOLERANCE:
                yield f"{name} of {arm} is not {found[arm][name]}."


def _figures(text: str, desk: Desk) -> Iterator[str]:
    found = read_json(text)
    for name in ("title", "x", "y"):
        if not str(found[name]).strip():
            yield f"{name} is empty."
    bars = {bar["arm"]: bar for bar in found["bars"]}
    if set(bars) != set(desk.topic.arms) or len(bars) != len(found["bars"]):
        yield "there is one bar for each arm."
        return
    for arm, right in desk.statistics.items():
        if any(float(bars[arm][name]) != float(right[name]) for name in ("mean", "sd")):
            yield f"the bar of {arm} is not what the statistics say."


def _draft(text: str, desk: Desk) -> Iterator[str]:
    yield from _sections(text, ("Background", "Results", "Limits"))
    yield from _names_arms(text, desk)
    known = [one for one in cited(text) if one in desk.chosen]
    if len(known) < 2:
        yield "fewer than two of the chosen notes are cited by their ids."
    for one in cited(text):
        if one not in desk.chosen:
            yield f"{one} is none of the chosen notes."


def _citations(text: str, desk: Desk) -> Iterator[str]:
    notes = {note.id: note.text for note in desk.topic.notes}
    found = entries(text)
    wanted = cited(desk.works[Stage.DRAFT])
    if sorted({str(one["id"]) for one in found}) != sorted(wanted):
        yield f"the draft cites {', '.join(wanted)}."
    for one in found:
        quote = str(one["quote"])
        if len(quote.split()) < LEAST_QUOTED or quote not in notes.get(str(one["id"]), ""):
            yield f"{one['id']} does not say {quote[:60]!r} in these words."


def _numbers(text: str, desk: Desk) -> Iterator[str]:
    found = entries(text)
    listed = {float(one["number"]) for one in found}
    there = {float(one) for one in decimals(desk.works[Stage.DRAFT])}
    for one in sorted(there - listed):
        yield f"{one:g} stands in the draft and not in the list."
    for one in sorted(listed - there):
        yield f"{one:g} does not stand in the draft."
    if any(one["arm"] not in desk.topic.arms for one in found):
        yield "each number belongs to an arm."


_GATES: Final[Mapping[Stage, Gate]] = {
    Stage.PLAN: _plan,
    Stage.GATHER: _gather,
    Stage.HYPOTHESES: _hypotheses,
    Stage.DESIGN: _design,
    Stage.CODE: _code,
    Stage.RUN: _run,
    Stage.PARSE: _parse,
    Stage.STATISTICS: _statistics,
    Stage.FIGURES: _figures,
    Stage.DRAFT: _draft,
    Stage.CITATIONS: _citations,
    Stage.NUMBERS: _numbers,
}
