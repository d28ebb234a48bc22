"""The proposals as a list: grouped by the skill they are about, with where each stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from lull.core import spans
from lull.desktop.words import ago, counted, now, parsed, percent, plain, tr

Json = dict[str, Any]
_ROOT: Final = QModelIndex()
_IN_FRONT: Final = {"proved": 0, "screened": 1, "unproved": 1, "proving": 2, "quarantined": 3}
_DEFERRED: Final = 4


class ProposalRows(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Json] = []

    def put(self, proposals: Sequence[Json]) -> None:
        self.beginResetModel()
        self.rows = ordered(proposals)
        self.endResetModel()

    def line_of(self, proposal: str) -> int:
        """-1: it is not there."""
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
                return tr("%1, made %2", kind_words(proposal), ago(proposal.get("made"), now()))
        return None


def ordered(proposals: Sequence[Json]) -> list[Json]:
    """Groups of one skill together; in front what is ready to be decided, newest first."""
    newest_first = sorted(proposals, key=lambda p: str(p.get("made", "")), reverse=True)

    def rank(proposal: Json) -> int:
        return _IN_FRONT.get(str(proposal["status"]), _DEFERRED)

    groups: dict[tuple[str, str], list[Json]] = {}
    for proposal in sorted(newest_first, key=rank):
        key = (str(proposal.get("client") or ""), str(proposal["name"]))
        groups.setdefault(key, []).append(proposal)
    return [proposal for group in groups.values() for proposal in group]


def kind_words(proposal: Json) -> str:
    words = {"new": tr("New skill"), "edit": tr("Edit"), "retire": tr("Retire")}
    return words.get(str(proposal["kind"]), str(proposal["kind"]))


def status_words(proposal: Json) -> str:
    evidence = proposal.get("evidence") or {}
    kind = kind_words(proposal)
    match proposal["status"]:
        case "proved":
            return tr("%1, proved", kind)
        case "proving":
            done, most = evidence.get("pairs", 0), evidence.get("most_pairs", 0)
            return tr("%1, being proved: %2 of at most %3", kind, done, most)
        case "screened" | "draft":
            return tr("%1, not proved yet", kind)
        case "unproved" if proposal.get("needs") == "picks":
            return tr("%1, waits for your picks", kind)
        case "unproved":
            return tr("%1, unproved", kind)
        case "quarantined":
            return tr("%1, quarantined", kind)
        case "deferred":
            return tr("%1, put off", kind)
        case "stale":
            return tr("%1, out of date", kind)
    return f"{kind}, {proposal['status']}"


def status_chip(proposal: Json) -> tuple[str, str]:
    """Words and the kind of chip."""
    if proposal["status"] == "unproved" and proposal.get("needs") == "picks":
        return tr("Waits for your picks"), "plain"
    words = {
        "proved": (tr("Proved"), "good"),
        "proving": (tr("Being proved"), "plain"),
        "screened": (tr("Not proved yet"), "plain"),
        "unproved": (tr("Unproved"), "warn"),
        "quarantined": (tr("Quarantined"), "bad"),
        "deferred": (tr("Put off"), "plain"),
        "stale": (tr("Out of date"), "warn"),
    }
    return words.get(str(proposal["status"]), (str(proposal["status"]), "plain"))


def evidence_words(proposal: Json) -> str:
    """What was measured, in one sentence or two."""
    evidence = proposal.get("evidence") or {}
    if not evidence.get("pairs"):
        if proposal["kind"] == "retire":
            return plain(str(proposal.get("reason") or ""))
        if proposal.get("needs") == "picks":
            return tr(
                "No check and no model can tell whether it helps; you can. Compare about %1 pairs "
                "of answers: it takes a minute.",
                (evidence.get("picks") or {}).get("wanted", 6),
            )
        return tr("Nothing was measured yet: it is replayed in the next lull.")
    pairs = counted(evidence["pairs"], "%1 replay", "%1 replays")
    requests = counted(evidence["requests"], "%1 request", "%1 requests")
    ties = evidence["pairs"] - evidence["wins"] - evidence["losses"]
    said = tr(
        "%1 of %2, with and without it: better in %3, worse in %4, alike in %5.",
        pairs,
        requests,
        evidence["wins"],
        evidence["losses"],
        ties,
    )
    if evidence.get("success_pairs"):
        held = evidence["success_pairs"] - evidence.get("success_losses", 0)
        said += " " + tr("%1 of %2 past successes held.", held, evidence["success_pairs"])
    return said


def odds_words(proposal: Json) -> str:
    """How sure that is: the share with its interval, and what luck alone could have done."""
    evidence = proposal.get("evidence") or {}
    if not evidence.get("pairs"):
        return ""
    said = []
    better = evidence.get("better")
    if better:
        bounds = tr("%1 to %2", percent(better["low"]), percent(better["high"]))
        words = "Where it made a difference it was better in %1; surely in %2 of cases (n %3)."
        said.append(tr(words, percent(better["share"]), bounds, better["n"]))
    odds, needs = evidence["e_value"], evidence.get("needs_e_value")
    if odds > 1:
        words = "If it did nothing, luck would show as much once in %1 at most (e-value)."
        said.append(tr(words, _number(odds)))
    else:
        said.append(tr("Luck alone could well have shown this."))
    if needs:
        said.append(tr("Asked for is once in %1.", _number(needs)))
    harm = evidence["harm_e_value"]
    if harm > 1:
        said.append(tr("Signs of harm: luck would show as much once in %1 at most.", _number(harm)))
    return " ".join(said)


def name_words(proposal: Json) -> str:
    """The first line: its name, and how many warnings there are."""
    flags = len(proposal.get("flags") or ())
    name = plain(proposal["name"])
    return f"{name}  ⚠ {flags}" if flags else name


def row_words(proposal: Json) -> str:
    """The second line of a row: where it stands, and how old it is."""
    words = [status_words(proposal)]
    if (made := parsed(proposal.get("made"))) is not None:
        age = spans.length(max(60.0, (now() - made).total_seconds()))
        words.append(" ".join(age.split()[:2]))  # the largest unit
    return " · ".join(word for word in words if word)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"
