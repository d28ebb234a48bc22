"""What the scripted student produces in each stage, with and without knowing the conventions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from statistics import fmean, stdev
from typing import Final

from bench.pipeline.house import Rule
from bench.pipeline.student_code import PROGRAMS
from bench.pipeline.topics import topics
from bench.pipeline.work import Stage, cited, decimals, read_json, table

Shown = Mapping[str, str]
Told = Mapping[str, Rule]
SEEDS: Final = 5
"""Number of seeds that the student uses if no convention tells it how many are wanted."""
_NOTE = re.compile(r"(?m)^(n\d+) \((\d{4})\): (.+)$")
_WORD = re.compile(r"[a-z]{4,}")
_IDS: Final = {topic.question: topic.id for topic in topics()}
_BEARING: Final = {
    topic.question: {note.id for note in topic.notes if note.bears} for topic in topics()
}
"""The notes that are relevant to each topic; a model can see this, the script must be told."""


def work(stage: Stage, shown: Shown, told: Told) -> str:
    return _WORKS[stage](shown, told)


def _of(shown: Shown, name: str) -> str:
    found = re.search(rf"(?m)^{name}: (.+)$", shown["question"])
    return found[1] if found else ""


def _arms(shown: Shown) -> list[str]:
    return _of(shown, "arms").split(", ")


def _value(told: Told, kind: str) -> int | None:
    return next((rule.value for key, rule in told.items() if key.startswith(f"{kind}-")), None)


def _plan(shown: Shown, told: Told) -> str:
    first, second = _arms(shown)
    parts = [
        f"## Question\n{_of(shown, 'question')}",
        f"## Method\nBoth arms, {first} and {second}, are simulated with the same seeds.",
        f"## Measure\nThe {_of(shown, 'measure')}, in {_of(shown, 'unit')}.",
    ]
    if "risks" in told:
        parts.insert(2, "## Risks\nToo few seeds to tell the arms apart.")
    if "stop" in told:
        parts.append("Stop when: every seed has been run once.")
    return "\n\n".join(parts)


def _gather(shown: Shown, told: Told) -> str:
    bearing = _BEARING.get(_of(shown, "question"), set())
    found = [
        {"id": id_, "year": int(year)}
        for id_, year, _ in _NOTE.findall(shown["notes"])
        if id_ in bearing
    ]
    # Nobody asked for an order: the one of no use.
    found.sort(key=lambda one: (int(one["year"]) % 7, one["id"]))
    if "newest" in told or "oldest" in told:
        found.sort(key=lambda one: int(one["year"]), reverse="newest" in told)
    return json.dumps(found)


def _hypotheses(shown: Shown, told: Told) -> str:
    first, second = _arms(shown)
    said = [
        f"{second} gives another {_of(shown, 'measure')} than {first}",
        f"{first} varies more from seed to seed than {second}",
        f"The difference between {first} and {second} is larger than its spread",
    ]
    heads = [f"H{n}: " if "numbered" in told else "- " for n in (1, 2, 3)]
    tail = " (falsifiable)" if "falsifiable" in told else ""
    return "\n".join(f"{head}{one}.{tail}" for head, one in zip(heads, said, strict=True))


def _design(shown: Shown, told: Told) -> str:
    seeds = _value(told, "seeds") or SEEDS
    design = {"arms": _arms(shown), "seeds": seeds, "measure": _of(shown, "measure")}
    return json.dumps(design)


def _code(shown: Shown, told: Told) -> str:
    code = PROGRAMS.get(_IDS.get(_of(shown, "question"), ""), "")
    if "documented" in told:
        code = re.sub(r"(?m)^(def .+:)$", r'\1\n    """A part of the experiment."""', code)
    return f"# reproducible\n{code}" if "reproducible" in told else code


def _run(shown: Shown, told: Told) -> str:
    first = _value(told, "from") or 1
    count = int(read_json(shown["design"])["seeds"])
    return json.dumps({"arms": _arms(shown), "seeds": list(range(first, first + count))})


def _parse(shown: Shown, told: Told) -> str:
    rows = re.findall(r"(?m)^(\S+) with seed (\d+) -> (\S+)$", shown["results"])
    if "by-value" in told:
        rows.sort(key=lambda row: float(row[2]))
    between = ";" if "semicolons" in told else ","
    return "\n".join(between.join(row) for row in rows)


def _statistics(shown: Shown, told: Told) -> str:
    places = _value(told, "decimals") or 6
    parts = []
    for arm in _arms(shown):
        values = [value for one, _, value in table(shown["parse"]) if one == arm]
        mean, sd = (f"{value:.{places}f}" for value in (fmean(values), stdev(values)))
        parts.append(f'"{arm}": {{"n": {len(values)}, "mean": {mean}, "sd": {sd}}}')
    return "{" + ", ".join(parts) + "}"


def _numbers_of(shown: Shown) -> list[tuple[str, str, str]]:
    """Return (arm, mean, sd) of the shown statistics, as texts."""
    found = re.findall(
        r'"([^"]+)": \{"n": \d+, "mean": ([\d.]+), "sd": ([\d.]+)\}', shown["statistics"]
    )
    return [(arm, mean, sd) for arm, mean, sd in found]


def _figures(shown: Shown, told: Told) -> str:
    unit = _of(shown, "unit")
    y = f"{_of(shown, 'measure')} [{unit}]" if "unit" in told else f"{_of(shown, 'measure')}"
    bars = [{"arm": a, "mean": float(m), "sd": float(s)} for a, m, s in _numbers_of(shown)]
    return json.dumps({"title": _of(shown, "question"), "x": "arm", "y": y, "bars": bars})


def _draft(shown: Shown, told: Told) -> str:
    signs = {"double": ("[[", "]]"), "curly": ("{", "}")}
    left, right = next((signs[key] for key in signs if key in told), ("(", ")"))
    background = [
        f"{text.rstrip('.')} {left}{id_}{right}." for id_, _, text in _NOTE.findall(shown["notes"])
    ]
    results = [
        f"{arm}: {mean} ± {sd} {_of(shown, 'unit')}."
        if "spread" in told
        else f"{arm} has a mean of {mean} {_of(shown, 'unit')}."
        for arm, mean, sd in _numbers_of(shown)
    ]
    return "\n\n".join(
        (
            "## Background\n" + " ".join(background),
            "## Results\n" + " ".join(results),
            "## Limits\nA simulation of one size, with few seeds.",
        )
    )


def _citations(shown: Shown, told: Told) -> str:
    texts = {id_: text for id_, _, text in _NOTE.findall(shown["notes"])}
    found = cited(shown["draft"])
    return json.dumps([{"id": id_, "quote": texts[id_].rstrip(".")} for id_ in found])


def _numbers(shown: Shown, told: Told) -> str:
    arms = {number: arm for arm, *numbers in _numbers_of(shown) for number in numbers}
    return json.dumps([{"number": one, "arm": arms[one]} for one in decimals(shown["draft"])])


_WORKS: Final[Mapping[Stage, Callable[[Shown, Told], str]]] = {
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
