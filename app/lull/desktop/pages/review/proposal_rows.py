"""A Qt list model of proposed skills, in which proposals about the same skill stand together, and
texts about their status and test results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from lull.contract.json_object import Json
from lull.core.proof.review_state import ReviewState
from lull.desktop.pages.review.approval_words import (
    reason_words,
    standing,
    status_chip,
    waits_for_picks,
)
from lull.desktop.words import ago, count, counted, decimal, named, now, percent, plain, tr

_ROOT: Final = QModelIndex()
_RANKS: Final = {"proved": 0, "screened": 1, "unproved": 1, "proving": 2, "quarantined": 3}
_LAST_RANK: Final = 4


class ProposalRows(QAbstractListModel):
    """Qt list model of the proposed skills that wait for a decision, in display order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Json] = []

    def put(self, proposals: Sequence[Json]) -> None:
        self.beginResetModel()
        self.rows = ordered(proposals)
        self.endResetModel()

    def line_of(self, proposal: str) -> int:
        """Return the number of the list row that shows a proposed skill, or -1 if it is not
        listed.
        """
        return next((n for n, row in enumerate(self.rows) if row["id"] == proposal), -1)

    def rowCount(  # noqa: N802
        self, parent: QModelIndex | QPersistentModelIndex = _ROOT
    ) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if not index.isValid():
            return None
        proposal = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{name_words(proposal)}\n{row_words(proposal)}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{kind_words(proposal)} {plain(proposal['name'])}, {status_words(proposal)}"
            case Qt.ItemDataRole.ToolTipRole:
                return tr("%1, created %2", kind_words(proposal), ago(proposal.get("made"), now()))
        return None


def ordered(proposals: Sequence[Json]) -> list[Json]:
    """Return the proposed changes of skills in the order of the Review page's list, those about one
    skill together.

    Skills with a proposal ready for a decision come first, then those with the newest proposal.
    """
    newest_first = sorted(proposals, key=lambda p: str(p.get("made", "")), reverse=True)

    def rank(proposal: Json) -> int:
        return _RANKS.get(str(proposal["status"]), _LAST_RANK)

    groups: dict[tuple[str, str], list[Json]] = {}
    for proposal in sorted(newest_first, key=rank):
        key = (str(proposal.get("client") or ""), str(proposal["name"]))
        groups.setdefault(key, []).append(proposal)
    return [proposal for group in groups.values() for proposal in group]


def kind_words(proposal: Json) -> str:
    words = {
        "new": tr("New skill"),
        "edit": named("proposal edit", "Edit"),
        "retire": named("proposal retire", "Removal"),
    }
    return words.get(str(proposal["kind"]), str(proposal["kind"]))


def status_words(proposal: Json) -> str:
    """Describe a proposed change of a skill and its test status, such as "New skill, proved" (tests
    showed a benefit).
    """
    kind = kind_words(proposal)
    if proposal["kind"] == "retire":
        return kind
    if proposal["status"] == "proving":
        evidence = proposal.get("evidence") or {}
        done, most = evidence.get("pairs", 0), evidence.get("most_pairs", 0)
        said = tr("%1, being tested: %2 of at most %3", kind, done, most)
        further = evidence.get("most_pairs_if_open", 0)
        return said + (
            tr(" (up to %1 if still undecided by then)", further) if further > most else ""
        )
    words, _ = status_chip(proposal)
    return f"{kind}, {words[:1].lower()}{words[1:]}"


def evidence_words(proposal: Json) -> str:
    """Describe in one or two sentences how a proposed skill did in its tests, or why it was not
    tested.
    """
    evidence = proposal.get("evidence") or {}
    if proposal["kind"] == "retire":
        return reason_words(proposal)
    if not evidence.get("pairs"):
        return _untested_words(proposal, evidence)
    benefit = evidence["pairs"] - evidence.get("success_pairs", 0)
    requests = counted(evidence["requests"], "%1 request", "%1 requests")
    said = tr(
        "Tested on %1, %2: better %3, worse %4, same %5.",
        requests,
        counted(benefit, "once", "%1 times"),
        evidence["wins"],
        evidence["losses"],
        benefit - evidence["wins"] - evidence["losses"],
    )
    if evidence.get("success_pairs"):
        held = evidence["success_pairs"] - evidence.get("success_losses", 0)
        said += " " + tr(
            "%1 of %2 answers that were good before stayed good.", held, evidence["success_pairs"]
        )
    return said


def _untested_words(proposal: Json, evidence: Json) -> str:
    if waits_for_picks(proposal):
        return counted(
            int((evidence.get("picks") or {}).get("wanted", 6)),
            "No check and no model can tell whether it helps; you can. Compare about %1 pair of "
            "answers: it takes a minute.",
            "No check and no model can tell whether it helps; you can. Compare about %1 pairs of "
            "answers: it takes a minute.",
        )
    if proposal.get("testing"):
        return tr("It is being tested now.")
    if standing(proposal) is not ReviewState.UNTESTABLE:
        return tr("Not tested yet. It is tested when you're away, or when you press “Test now”.")
    if proposal.get("origin") == "file":
        return tr("Can't be tested: it comes from a file, and no request of yours is behind it.")
    return tr(
        "Can't be tested automatically: nothing here can score its answers. Choose a "
        "model to judge them."
    )


def odds_words(proposal: Json) -> str:
    """Describe how certain a proposed skill's test result is: the share of test pairs it won with
    the 95% interval, and the e-value (strength of the evidence) as odds.
    """
    evidence = proposal.get("evidence") or {}
    if not evidence.get("pairs"):
        return ""
    said = []
    better = evidence.get("better")
    if better:
        low, high = percent(better["low"]), percent(better["high"])
        words = (
            "Better with the skill in %1 of the tests that differed (95% interval %2 to %3; "
            "%4 tests)."
        )
        said.append(tr(words, percent(better["share"]), low, high, better["n"]))
    odds, needs = evidence["e_value"], evidence.get("needs_e_value")
    if odds > 1:
        words = "Odds that this is luck: at most 1 in %1 (needed: 1 in %2)."
        said.append(tr(words, _number(odds), _number(needs)))
    else:
        said.append(tr("This could well be luck."))
    if look := evidence.get("last_look"):
        said.append(_look_words(look))
    harm = evidence["harm_e_value"]
    if harm > 1:
        said.append(
            tr("It may do harm: the odds that this is luck are at most 1 in %1.", _number(harm))
        )
    return " ".join(said)


def _look_words(look: Json) -> str:
    words = (
        "Its %1 tests were used up without a clear result; a final draw, with a %2 chance "
        "of accepting it, went against it."
    )
    if look["accepted"]:
        words = (
            "Its %1 tests were used up without a clear result; a final draw, with a %2 "
            "chance of accepting it, accepted it."
        )
    return tr(words, look["after"], percent(look["chance"]))


def name_words(proposal: Json) -> str:
    """Return the first line of a proposed skill's list row: its name and the number of warnings."""
    flags = len(proposal.get("flags") or ())
    name = plain(proposal["name"])
    return f"{name}  ⚠ {flags}" if flags else name


def row_words(proposal: Json) -> str:
    """Return the second line of a proposed skill's list row: its status and age."""
    words = [status_words(proposal)]
    words.append(ago(proposal.get("made"), now()))
    return " · ".join(word for word in words if word)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return count(round(value)) if value >= 10 else _short(value)


def _short(value: float) -> str:
    text = f"{value:.3g}"
    return decimal(value, len(text.partition(".")[2])) if "e" not in text else text
