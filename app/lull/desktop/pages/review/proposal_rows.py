"""A Qt list model of proposed skills, in which proposals about the same skill stand together, and
texts about their status.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from lull.contract.json_object import Json
from lull.desktop.language.words import ago, hover, named, now, skill_title, tr
from lull.desktop.pages.review.approval_words import flag_lines, status_chip
from lull.desktop.shared.skill_words import FlagLook, rule_words
from lull.desktop.shared.testing.running_tests import waits_in_line

_ROOT: Final = QModelIndex()
_RANKS: Final = {"proved": 0, "screened": 1, "unproved": 1, "proving": 2, "quarantined": 3}
_LAST_RANK: Final = 4


class ProposalRows(QAbstractListModel):
    """Qt list model of the proposed skills that wait for a decision, in display order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Json] = []

    def put(self, proposals: Sequence[Json]) -> None:
        """Replace the list by these proposed skills, in display order."""
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
                title = skill_title(proposal["name"])
                return f"{kind_words(proposal)} {title}, {status_words(proposal)}"
            case Qt.ItemDataRole.ToolTipRole:
                made = tr(
                    "%1, created %2", status_words(proposal), ago(proposal.get("made"), now())
                )
                return hover(f"{rule_words(str(proposal.get('body') or ''))}\n{made}".strip())
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
    """Name what a proposal would do: add a skill, change it or remove it."""
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
    if proposal["status"] == "proving" and not _stands_still(proposal):
        evidence = proposal.get("evidence") or {}
        done, most = evidence.get("pairs", 0), evidence.get("most_pairs", 0)
        said = tr("%1, being tested: %2 of at most %3", kind, done, most)
        further = evidence.get("most_pairs_if_open", 0)
        return said + (
            tr(" (up to %1 if still undecided by then)", further) if further > most else ""
        )
    words, _ = status_chip(proposal)
    return f"{kind}, {words[:1].lower()}{words[1:]}"


def _stands_still(proposal: Json) -> bool:
    """Whether a begun test does not go on: the user stopped it, or it waits for others."""
    return bool(proposal.get("stopped")) or waits_in_line(proposal)


def name_words(proposal: Json) -> str:
    """Return the first line of a proposed skill's list row: its name and the number of findings
    that call for caution.
    """
    flags = len(flag_lines(proposal, FlagLook.DANGER)) + len(flag_lines(proposal, FlagLook.CAUTION))
    name = skill_title(proposal["name"])
    return f"{name}  ⚠ {flags}" if flags else name


def row_words(proposal: Json) -> str:
    """Return the lines below the name in a proposed skill's list row: its status, and what kind of
    change it is and how old.

    Each is short enough for the list; `status_words` says the status at length.
    """
    kind = [kind_words(proposal), ago(proposal.get("made"), now())]
    below = " · ".join(word for word in kind if word)
    return below if proposal["kind"] == "retire" else f"{_short_status(proposal)}\n{below}"


def _short_status(proposal: Json) -> str:
    if proposal["status"] != "proving" or _stands_still(proposal):
        return status_chip(proposal)[0]
    evidence = proposal.get("evidence") or {}
    return tr("Testing: %1 of %2", evidence.get("pairs", 0), evidence.get("most_pairs", 0))
