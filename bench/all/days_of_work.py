"""What the report says of a stored file of the days of work that is older than its bounds.

The bounds were played apart, without Lull, on the days of the stored file. What skills and the
model alone reach is always the file's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from bench.all.later import Document, Later
from bench.metaclaw_bench.agent import Bound, Form
from bench.metaclaw_bench.rows import GAIN, IN_GOALS, LEAST_GAIN, LEAST_SHARE, SHARE

Row = Mapping[str, Any]
DAYS: Final = "c1571758de0df7eb"
"""Digest of the days on which the bounds were played."""
BOUNDS: Final = {
    Bound.NOTHING: (0.20840, 0.18658, 0.23021),
    Bound.SAID: (0.78632, 0.63248, 0.91803),
    Bound.BEFOREHAND: (0.91453, 0.78511, 1.0),
}
"""Accuracy and its 95 % interval over 11 days, n = 117, of the scripted student at 4d0a02f, where
the last two were still called "hears everything" and "knows everything".
"""
_TAIL: Final = 0.025


def labelled_last(one: Row) -> bool:
    """Sort key of rows and goals: what people write comes before the benchmark's own form."""
    return one.get("feedback") == Form.LABELLED or IN_GOALS[Form.LABELLED] in str(one.get("goal"))


def since(document: Document) -> str:
    """Return what a file lacks that the bench measures today; "" if it lacks nothing."""
    if any(str(row["condition"]).startswith("bound") for row in document["rows"]):
        return ""
    said = (
        "The file has no bounds and no paired intervals, and Lull has changed, too; its rows of a"
        " `full` that could not be trained are left out here."
    )
    if not _same_days(document):
        return said
    bounds = ", ".join(
        f"`{bound.value}` {value:.3f} [{low:.3f}, {high:.3f}]"
        for bound, (value, low, high) in BOUNDS.items()
    )
    return f"{said} Bounds, played apart on the same days at commit 4d0a02f, n = 117: {bounds}."


def _gain(form: Form, document: Document) -> str:
    """Tell from the gains by day alone whether the low end can be above zero: it cannot where no
    gain at all is drawn too often.
    """
    alone, skills = _row(document, form, "baseline"), _row(document, form, "skills")
    if alone is None or skills is None:
        return ""
    days = [skills["by_day"][day] - value for day, value in alone["by_day"].items()]
    without = sum(gain <= 0 for gain in days)
    empty = (without / len(days)) ** len(days)
    told = f"but on {without} of {len(days)} days skills gain nothing"
    if empty <= _TAIL:
        return told
    return f"{told}, so {100 * empty:.1f} % of the draws hold no gain and the low end is at most 0"


def _share(form: Form, document: Document) -> str:
    alone, skills = _row(document, form, "baseline"), _row(document, form, "skills")
    if alone is None or skills is None or not _same_days(document):
        return ""
    gain = skills["accuracy"] - alone["accuracy"]
    of = {b: gain / (BOUNDS[b][0] - alone["accuracy"]) for b in (Bound.BEFOREHAND, Bound.SAID)}
    return (
        f"but its rows are {alone['accuracy']:.3f} (baseline) and {skills['accuracy']:.3f}"
        f" (skills): {of[Bound.BEFOREHAND]:.3f} of the gap to `{Bound.BEFOREHAND.value}`"
        f" ({of[Bound.SAID]:.3f} of that to `{Bound.SAID.value}`)"
    )


def _row(document: Document, form: Form, condition: str) -> Row | None:
    found = (
        row
        for row in document["rows"]
        if row["condition"] == condition and row.get("feedback") == form
    )
    return next(found, None)


def _same_days(document: Document) -> bool:
    return bool(document["data"]["digest"] == DAYS)


LATER: Final = tuple(
    one
    for form, said in IN_GOALS.items()
    for one in (
        Later(
            goal=f"{GAIN}, {said}",
            limit=LEAST_GAIN,
            at_most=False,
            instead_of=f"skills over baseline, accuracy, {said}",
            known=partial(_gain, form),
        ),
        Later(
            goal=f"{SHARE}, {said}",
            limit=LEAST_SHARE[form],
            at_most=False,
            known=partial(_share, form),
        ),
    )
)
