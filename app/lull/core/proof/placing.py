"""Finds out where in a prompt a model obeys skills best: behind the system text, or before or
behind the user's message.

A test case is a rule that a program can check, and two requests of one conversation. The rule is
put into the first request and stays there, so that the prompt of the second request begins with
that of the first and a model server need not read it again. Some cases decide. The others, with
other rules, only give the figures shown to the user, because the figures of the deciding cases are
too favourable to the chosen place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from lull.core.checks.check import Check
from lull.core.proof.evalue import e_value_from_log, log_e_value
from lull.core.skills.prompt_block import Placement

SURE_E: Final = 40.0
"""E-value at which a place in the prompt counts as surely better than the system text and is used
instead. Two places are tested against the system text, each at a significance level of 2.5 %.
"""
ANSWERS: Final = 2
"""Number of answers asked for in each test request and each place in the prompt where skills can
be put.
"""

NOT_MEASURED: Final = (
    "Skills are put in the system prompt (the instructions that a model gets before the "
    "conversation). While you are away, Lull measures where the model follows them best."
)
"""Text for the user about a model for which it has not been measured yet where in its prompts
skills work best.
"""

_WHERE: Final = {
    Placement.SYSTEM: "in the system prompt",
    Placement.HEAD: "before your message",
    Placement.TAIL: "after your message",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingCase:
    """A test of where in a prompt a model obeys rules best: a rule that a program can check, and
    two requests of one conversation to be answered with it.
    """

    id: str
    rule: str
    check: Check
    asked: str
    then: str
    """The second request, asked after the answer to the first."""
    decides: bool
    """Whether the case takes part in choosing the place; if not, it only counts in the shown
    figures.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingSheet:
    """All test cases for finding out where in a prompt a model obeys skills best; `sha256` changes
    if any of the cases does.
    """

    sha256: str
    cases: tuple[PlacingCase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingMark:
    """The result of one test case with its rule in one place of the prompt: in how many of the
    answers the rule was kept.
    """

    case: str
    place: Placement
    kept: int | None
    """Number of the case's answers that kept the rule; None if one was cut off or cannot be
    checked.
    """

    def as_json(self) -> list[object]:
        """Return the JSON in which a mark is stored."""
        return [self.case, self.place.value, self.kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingResult:
    """The result of measuring where in a prompt one model obeys skills (instruction texts) best,
    finished or under way.
    """

    model: str
    digest: str
    sheet: str
    """Hash of the cases; with other cases the model is measured again."""
    marks: tuple[PlacingMark, ...] = ()
    place: Placement | None = None
    """The place where the model obeys skills best; None while it is still being measured, when
    skills go into the system text.
    """
    why: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptShare:
    """How many of `n` checked answers obeyed the rule that was in their prompt."""

    kept: int
    n: int


def next_case(
    sheet: PlacingSheet, marks: Sequence[PlacingMark]
) -> tuple[PlacingCase, list[Placement]] | None:
    """Return the next test case to put to the model, and the places in the prompt where its rule
    is still to be put. None if nothing is left to measure.

    Once one place is surely best, deciding cases that were not begun are left out; a case that was
    begun is finished.
    """
    marked = {(mark.case, mark.place) for mark in marks}
    sure = bool(_surely_better(sheet, marks))
    for case in sorted(sheet.cases, key=lambda one: not one.decides):
        left = [place for place in Placement if (case.id, place) not in marked]
        if left and not (case.decides and sure and len(left) == len(Placement)):
            return case, left
    return None


def with_best_place(result: PlacingResult, sheet: PlacingSheet) -> PlacingResult:
    """Return the result of measuring where in its prompts a model obeys rules best, with the best
    place and the reason in words filled in. Unchanged while test cases are left to ask.
    """
    if result.place is not None or next_case(sheet, result.marks) is not None:
        return result
    place = best_place(sheet, result.marks)
    return replace(result, place=place, why=_why(sheet, result.marks, place))


def best_place(sheet: PlacingSheet, marks: Sequence[PlacingMark]) -> Placement:
    """Return the place in the prompt for skills: the one where the model kept rules most often,
    among those surely better than the system text. If none is surely better, the system text.
    """
    better = _surely_better(sheet, marks)
    if not better:
        return Placement.SYSTEM
    return max(better, key=lambda place: kept_share(sheet, marks, place, decides=True).kept)


def kept_share(
    sheet: PlacingSheet, marks: Sequence[PlacingMark], place: Placement, *, decides: bool
) -> KeptShare:
    """Count how many answers kept their rule when it was in this place of the prompt. Only cases
    that could be checked in every place count: with `decides` those that choose the place,
    otherwise those for the figures shown to the user.
    """
    wanted = {case.id for case in sheet.cases if case.decides is decides}
    scored = [found[place] for case, found in _whole(marks).items() if case in wanted]
    return KeptShare(kept=sum(scored), n=ANSWERS * len(scored))


def _surely_better(sheet: PlacingSheet, marks: Sequence[PlacingMark]) -> list[Placement]:
    """The places where rules are surely kept more often than in the system text.

    Each is an anytime-valid bet on cases in which one of both places keeps more, so the cases may
    end as soon as it is won (core/proof/evalue.py).
    """
    deciding = {case.id for case in sheet.cases if case.decides}
    whole = [found for case, found in _whole(marks).items() if case in deciding]
    better = []
    for place in (Placement.HEAD, Placement.TAIL):
        wins = sum(found[place] > found[Placement.SYSTEM] for found in whole)
        losses = sum(found[place] < found[Placement.SYSTEM] for found in whole)
        if e_value_from_log(log_e_value(wins, losses)) >= SURE_E:
            better.append(place)
    return better


def _whole(marks: Sequence[PlacingMark]) -> dict[str, dict[Placement, int]]:
    """Return the scores of the test cases that were scored with the skills in every place."""
    found: dict[str, dict[Placement, int]] = {}
    for mark in marks:
        if mark.kept is not None:
            found.setdefault(mark.case, {})[mark.place] = mark.kept
    return {case: scores for case, scores in found.items() if len(scores) == len(Placement)}


def _why(sheet: PlacingSheet, marks: Sequence[PlacingMark], place: Placement) -> str:
    shown = {one: kept_share(sheet, marks, one, decides=False) for one in Placement}
    n = shown[Placement.SYSTEM].n
    kept = {one: shown[one].kept for one in Placement}
    head = (
        f"Skills are put {_WHERE[place]}: there the model clearly follows rules more often."
        if place is not Placement.SYSTEM
        else (
            f"Skills are put {_WHERE[place]}: no other place clearly makes the model follow "
            "rules more often."
        )
    )
    if not n:
        return head
    return (
        f"{head} In tests with other rules, {kept[Placement.SYSTEM]} of {n} answers followed them "
        f"with the rules in the system prompt, {kept[Placement.HEAD]} before your message, "
        f"{kept[Placement.TAIL]} after your message."
    )
