"""The house conventions that work must keep; nobody is told about one before breaking it.

They are form, each for one kind of work, and checked on the work's text alone. Another seed has
others. `said` is how the person puts it after it was broken; by `mark` a script, not Lull, finds
that it was told.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from bench.pipeline.work import Stage, decimals, entries, lines, read_json, table

DRAWN: Final = 8
"""Number of conventions drawn for each seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    key: str
    stage: Stage
    """The stage whose work the convention is about."""
    found_at: Stage
    """The stage that checks the convention: the same one, or a later one, which sends the work
    back.
    """
    said: str
    mark: str
    value: int = 0
    holds: Callable[[str], bool]
    """Function that tells whether a work's text keeps the convention; False for unreadable text."""


def house(seed: int) -> tuple[Rule, ...]:
    """Return the conventions of this seed, in the order of the stages."""
    draw = random.Random(f"house {seed}")
    kinds = [draw.choice(variants) for variants in _KINDS]
    chosen = draw.sample(kinds, DRAWN)
    order = list(Stage)
    return tuple(sorted(chosen, key=lambda rule: (order.index(rule.stage), rule.key)))


def all_rules() -> tuple[Rule, ...]:
    return tuple(rule for variants in _KINDS for rule in variants)


def heard(text: str) -> tuple[Rule, ...]:
    """Return all known conventions that this text states, of any seed."""
    return tuple(rule for rule in all_rules() if rule.mark in text)


def broken(rules: Iterable[Rule], text: str) -> list[Rule]:
    return [rule for rule in rules if not _held(rule, text)]


def _held(rule: Rule, text: str) -> bool:
    try:
        return bool(text.strip()) and rule.holds(text)
    except (ValueError, LookupError, TypeError, AttributeError, SyntaxError):
        return False


def _rule(
    key: str,
    stage: Stage,
    mark: str,
    said: str,
    holds: Callable[[str], bool],
    *,
    late: Stage | None = None,
    value: int = 0,
) -> Rule:
    return Rule(
        key=key,
        stage=stage,
        found_at=late or stage,
        said=f"No. {said}",
        mark=mark,
        value=value,
        holds=holds,
    )


# -- the kinds, each with variants -------------------------------------------------------------


def _years(text: str) -> list[int]:
    return [int(one["year"]) for one in entries(text)]


def _documented(text: str) -> bool:
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    return all(ast.get_docstring(one) for one in functions)


def _sorted_by_value(text: str) -> bool:
    values = [value for _, _, value in table(text)]
    return values == sorted(values)


def _seeds(least: int) -> Rule:
    return _rule(
        f"seeds-{least}",
        Stage.DESIGN,
        f"at least {least} seeds",
        f"When you write a design, always plan at least {least} seeds.",
        lambda text: int(read_json(text)["seeds"]) >= least,
        late=Stage.STATISTICS,
        value=least,
    )


def _counted_from(first: int) -> Rule:
    return _rule(
        f"from-{first}",
        Stage.RUN,
        f"count the seeds from {first}",
        f"When you write a run configuration, always count the seeds from {first}.",
        lambda text: min(read_json(text)["seeds"]) == first,
        value=first,
    )


def _exactly(places: int) -> Rule:
    return _rule(
        f"decimals-{places}",
        Stage.STATISTICS,
        f"exactly {places} decimals",
        f"When you write statistics, always give exactly {places} decimals.",
        lambda text: {len(one.partition(".")[2]) for one in decimals(text)} == {places},
        value=places,
    )


_KINDS: Final = (
    (
        _rule(
            "stop",
            Stage.PLAN,
            '"Stop when:"',
            'When you write a plan, end it with a line that begins with "Stop when:".',
            lambda text: lines(text)[-1].startswith("Stop when:"),
        ),
        _rule(
            "risks",
            Stage.PLAN,
            'section named "Risks"',
            'When you write a plan, always add a section named "Risks".',
            lambda text: re.search(r"(?m)^#+ *Risks\b", text) is not None,
        ),
    ),
    (
        _rule(
            "newest",
            Stage.GATHER,
            "list the newest note first",
            "When you choose notes, always list the newest note first.",
            lambda text: _years(text) == sorted(_years(text), reverse=True),
        ),
        _rule(
            "oldest",
            Stage.GATHER,
            "list the oldest note first",
            "When you choose notes, always list the oldest note first.",
            lambda text: _years(text) == sorted(_years(text)),
        ),
    ),
    (
        _rule(
            "numbered",
            Stage.HYPOTHESES,
            "number them H1, H2, H3",
            "When you state hypotheses, always number them H1, H2, H3.",
            lambda text: [one[:2] for one in lines(text)] == ["H1", "H2", "H3"],
        ),
        _rule(
            "falsifiable",
            Stage.HYPOTHESES,
            "(falsifiable)",
            'When you state hypotheses, end each line with the word "(falsifiable)".',
            lambda text: all(one.endswith("(falsifiable)") for one in lines(text)),
        ),
    ),
    (_seeds(7), _seeds(9), _seeds(11)),
    (
        _rule(
            "reproducible",
            Stage.CODE,
            "in the first line",
            "When you write code, always put # reproducible in the first line.",
            lambda text: lines(text)[0] == "# reproducible",
        ),
        _rule(
            "documented",
            Stage.CODE,
            "give every function a docstring",
            "When you write code, always give every function a docstring.",
            _documented,
        ),
    ),
    (_counted_from(100), _counted_from(500)),
    (
        _rule(
            "semicolons",
            Stage.PARSE,
            "use semicolons between the columns",
            "When you write a table, always use semicolons between the columns.",
            lambda text: all(one.count(";") == 2 for one in lines(text)),
        ),
        _rule(
            "by-value",
            Stage.PARSE,
            "sort the rows by value",
            "When you write a table, always sort the rows by value.",
            _sorted_by_value,
        ),
    ),
    (_exactly(2), _exactly(3), _exactly(4)),
    (
        _rule(
            "unit",
            Stage.FIGURES,
            "unit of the y axis in square brackets",
            "When you write a figure, always put the unit of the y axis in square brackets.",
            lambda text: re.search(r"\[[^\]]+\]", read_json(text)["y"]) is not None,
        ),
    ),
    (
        _rule(
            "double",
            Stage.DRAFT,
            "cite notes in double square brackets",
            "When you write a draft, always cite notes in double square brackets.",
            lambda text: re.findall(r"\bn\d+\b", text) == re.findall(r"\[\[(n\d+)\]\]", text),
            late=Stage.CITATIONS,
        ),
        _rule(
            "curly",
            Stage.DRAFT,
            "cite notes in curly brackets",
            "When you write a draft, always cite notes in curly brackets.",
            lambda text: re.findall(r"\bn\d+\b", text) == re.findall(r"\{(n\d+)\}", text),
            late=Stage.CITATIONS,
        ),
    ),
    (
        _rule(
            "spread",
            Stage.DRAFT,
            "each mean with its spread after ±",
            "When you write a draft, always give each mean with its spread after ±.",
            lambda text: len(re.findall(r"\d ± \d", text)) >= 2,
            late=Stage.NUMBERS,
        ),
    ),
)
