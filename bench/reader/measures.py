"""Measures of the reader's answers: precision, recall, calibration, scope and quotes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.reader.check_cases import CheckCase, has, offered
from bench.reader.items import REVIEWERS, Item
from lull.core.feedback.calibration import Estimate, wilson
from lull.core.feedback.feedback import LASTING, LIKELY, MessageFindings

Row = dict[str, Any]
BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    item: Item
    findings: MessageFindings
    seconds: float

    @property
    def lasts(self) -> bool:
        return self.findings.lasting > LASTING and not self.findings.unsure

    @property
    def both_lasting(self) -> bool:
        return bool(self.item.lasting) and self.lasts


def rows_of(answered: Sequence[Answered]) -> list[Row]:
    """Return the table's rows: all items together, each person, and the trap items alone; those of
    reviewers, who write otherwise, stand in rows of their own.
    """
    usual = [one for one in answered if one.item.person not in REVIEWERS]
    groups = {"all": usual}
    for one in usual:
        groups.setdefault(one.item.person, []).append(one)
    groups["traps"] = [one for one in usual if one.item.trap]
    groups["reviewers"] = [one for one in answered if one.item.person in REVIEWERS]
    return [row for name, some in groups.items() if some for row in _rows(name, some)]


def _rows(people: str, some: Sequence[Answered]) -> list[Row]:
    rows = [
        _found("correction", some, lambda one: one.item.correction, _correction, LIKELY),
        _found("lasting", some, lambda one: one.item.lasting, _lasting, LASTING),
    ]
    both = [one for one in some if one.both_lasting]
    scoped = [one for one in both if one.item.scope is not None]
    facts = [str(one.item.kind_of_rule) for one in both]
    rows += [
        _share("scope", [one.findings.scope == one.item.scope for one in scoped]),
        _share("stated sentences found", [_finds_all(one) for one in both]),
        _share("quoted sentences that state it", [hit for one in both for hit in _quoted(one)]),
        _share(
            "preference or fact",
            [one.findings.kind_of_rule == fact for one, fact in zip(both, facts, strict=True)],
        ),
        _share("class of check", [one.findings.check == (one.item.check or "") for one in both]),
        _share("unsure", [one.findings.unsure for one in some]),
    ]
    return [{"people": people, **row} for row in rows]


def check_rows(cases: Sequence[tuple[CheckCase, MessageFindings]]) -> list[Row]:
    """Return how often the right check is offered to a person who complains of an answer that fails
    it, and how often an offered check is right.
    """
    found = [(case, offered(case, heard)) for case, heard in cases]
    right = [
        (case, check, check is not None and case.check is not None and has(check, case.check))
        for case, check in found
    ]
    wanted = [hit for case, _, hit in right if case.check is not None and case.complains]
    given = [hit for _, check, hit in right if check is not None]
    return [
        {"people": "checks", **_share("right check found", wanted)},
        {"people": "checks", **_share("offered check right", given)},
    ]


def _correction(one: Answered) -> float:
    return one.findings.correction


def _lasting(one: Answered) -> float:
    return one.findings.lasting


def _found(
    what: str,
    some: Sequence[Answered],
    is_so: Callable[[Answered], bool | None],
    p_of: Callable[[Answered], float],
    above: float,
) -> Row:
    told = [one for one in some if is_so(one) is not None]
    pairs = [(bool(is_so(one)), p_of(one) > above and not one.findings.unsure) for one in told]
    hits = sum(true and said for true, said in pairs)
    precision = wilson(hits, sum(said for _, said in pairs))
    recall = wilson(hits, sum(true for true, _ in pairs))
    sure = [(p_of(one), bool(is_so(one))) for one in told if not one.findings.unsure]
    return {
        "what": what,
        "n": len(told),
        "undecided": len(some) - len(told),
        **_words("precision", precision),
        **_words("recall", recall),
        "ece": expected_calibration_error(sure),
    }


def _share(what: str, right: Sequence[bool]) -> Row:
    return {"what": what, "n": len(right), **_words("share", wilson(sum(right), len(right)))}


def _words(name: str, found: Estimate) -> Row:
    return {
        name: round(found.value, 4),
        f"{name}_low": round(found.low, 4),
        f"{name}_high": round(found.high, 4),
    }


def expected_calibration_error(said: Sequence[tuple[float, bool]], bins: int = BINS) -> float:
    """Expected calibration error over bins of equal width (Naeini et al. 2015). `said`: pairs of
    predicted probability and truth.
    """
    if not said:
        return 0.0
    groups: dict[int, list[tuple[float, bool]]] = {}
    for p, true in said:
        groups.setdefault(min(bins - 1, int(p * bins)), []).append((p, true))
    off = sum(abs(sum(p for p, _ in g) - sum(true for _, true in g)) for g in groups.values())
    return round(off / len(said), 4)


def _finds_all(one: Answered) -> bool:
    """Whether the reader's quote contains every sentence that states the rule."""
    return all(
        any(_shares(quote, heard) for heard in one.findings.quote) for quote in one.item.quote
    )


def _quoted(one: Answered) -> list[bool]:
    return [any(_shares(quote, heard) for quote in one.item.quote) for heard in one.findings.quote]


def _shares(one: str, other: str) -> bool:
    a, b = one.strip(), other.strip()
    return bool(a and b) and (a in b or b in a)
