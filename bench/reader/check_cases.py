"""Measures whether Lull finds the check that a person's rule means, behind the answer that they
complained of: the reader reads the message, and the check is derived as in the product.

The cases of held_out/checks are lines as in people/, with `check_json`: the check that the wish
means, by the person who wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.reader.items import HELD_OUT
from bench.reader.judge_cases import TOOLS
from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.reading import parse, parse_all
from lull.core.checks.rules.stated_check import proposed_check
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import LIKELY, MessageFindings
from lull.core.skills.stated_skill import with_its_subject

CHECK_EXAM: Final = HELD_OUT / "checks"
_TEXTS: Final = (CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS, CheckKind.NOT_CONTAINS)
_DATES: Final = {
    "dmy": ("day_first",),
    "german": ("day_first",),
    "written_dmy": ("day_first", "written"),
}
"""For each date format, the wider ones that a check may name instead."""
_METRIC: Final = (
    "grams", "kilograms", "millimetres", "centimetres", "metres", "kilometres", "millilitres",
    "litres", "celsius",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCase:
    exchange: Exchange
    complains: bool
    lasting: bool
    check: Check | None
    """The check that the wish means; None if no program can test it, or nothing lasting is said."""


def check_cases(folder: Path = CHECK_EXAM) -> Iterator[CheckCase]:
    """Yield the lines of those files of a folder that tell anywhere which check is meant."""
    for file in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for said in lines if any("check_json" in one for one in lines) else ():
            meant = said.get("check_json")
            yield CheckCase(
                exchange=Exchange(asked=said["asked"], answer=said["answer"], said=said["said"]),
                complains=bool(said["correction"]),
                lasting=bool(said["lasting"]),
                check=parse(json.dumps(meant)) if meant else None,
            )


def offered(case: CheckCase, heard: MessageFindings) -> CheckSet | None:
    """Return the checks that Lull would offer for what it heard, as when it drafts a skill."""
    if heard.unsure or heard.lasting <= LIKELY:
        return None
    said = case.exchange.said
    found = proposed_check(
        heard.check,
        with_its_subject(heard.rule, said),
        case.exchange.answer,
        said if heard.correction > LIKELY else "",
        heard.possible_checks,
        tools=TOOLS,
    )
    return parse_all(found) if found else None


def has(found: CheckSet, meant: Check) -> bool:
    """Whether one of the checks found tests what a wish means; of a wish for several things the
    cases name one check.
    """
    return any(agrees(one, meant) for one in found.checks)


def agrees(found: Check, meant: Check) -> bool:
    """Whether a check tests what a wish means; where the wish gives an exact number, one of its two
    limits is enough.
    """
    if found.kind is not meant.kind:
        return False
    if found.kind is CheckKind.UNITS:
        wanted = (*_METRIC, "metric") if meant.value == "metric" else (meant.value,)
        return all(one in wanted for one in found.value.removesuffix(",only").split(","))
    if found.kind is CheckKind.DATE_FORMAT:
        return found.value in (meant.value, *_DATES.get(meant.value, ()))
    if found.kind is CheckKind.NO_SIGN:
        return found.value in meant.value or meant.value in found.value
    if found.kind in _TEXTS:
        one, other = (_letters(check.value) for check in (found, meant))
        return found.must == meant.must and bool(one) and (one in other or other in one)
    if found.value and meant.value and found.value != meant.value:
        return False
    limits = (found.at_least, meant.at_least), (found.at_most, meant.at_most)
    return all(mine in (None, theirs) for mine, theirs in limits) and (
        meant.at_least is meant.at_most is None or any(mine is not None for mine, _ in limits)
    )


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())
