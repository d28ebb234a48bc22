"""Checklist at the top of a proposed skill: was it tested, what can the user do, and who wrote its
text; each line has a mark (settled, open, caution).
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from lull.contract.json_object import Json
from lull.core.proof.review_state import ReviewState
from lull.core.proof.whose_words import WordsAuthor
from lull.desktop.language.words import short_date, tr
from lull.desktop.pages.review.approval_words import standing
from lull.desktop.pages.review.tested_words import evidence_words, what_now, why_not_better
from lull.desktop.shared.skill_words import origin_words
from lull.desktop.widgets.parts import label, set_kind
from lull.desktop.widgets.tokens import GAP


class Mark(StrEnum):
    """The mark of a line in a proposed skill's checklist: settled, still open, or to be judged with
    caution.
    """

    SETTLED = "✓"
    OPEN = "○"
    CAUTION = "⚠"
    NONE = ""


class Checklist(QWidget):
    """Checklist of a proposed skill: a line about its tests, one about why they did not show that
    it helps and what the user can do then, and one about who wrote its text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tested = label("", wrap=True)
        self.now = label("", "muted", wrap=True)
        self.whose = label("", wrap=True)
        self.marks: dict[QLabel, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GAP // 2)
        grid.setColumnStretch(1, 1)
        for line, words in enumerate((self.tested, self.now, self.whose)):
            self.marks[words] = label()
            grid.addWidget(self.marks[words], line, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, line, 1)

    def show_proposal(self, proposal: Json) -> None:
        """Show how a proposed skill's tests stand, what comes next and whose words it uses."""
        self._show(self.tested, mark_of_tests(proposal), evidence_words(proposal))
        then = f"{why_not_better(proposal)} {what_now(proposal)}".strip()
        self._show(self.now, Mark.NONE, then)
        self._show(self.whose, *author_line(proposal))

    def _show(self, words: QLabel, mark: Mark, text: str) -> None:
        shown = self.marks[words]
        words.setText(text)
        show_mark(shown, mark)
        for one in (words, shown):
            one.setVisible(bool(text))


def show_mark(shown: QLabel, mark: Mark) -> None:
    """Show a mark of the checklist in a label, and give screen readers the mark's name."""
    kinds = {Mark.SETTLED: "good", Mark.CAUTION: "warn"}
    names = {
        Mark.SETTLED: tr("Settled"),
        Mark.OPEN: tr("Open"),
        Mark.CAUTION: tr("Caution"),
        Mark.NONE: "",
    }
    shown.setText(mark.value)
    shown.setAccessibleName(names[mark])
    set_kind(shown, kinds.get(mark, "muted"))


def mark_of_tests(proposal: Json) -> Mark:
    """Choose the mark before the line about a proposed skill's tests."""
    match standing(proposal):
        case ReviewState.PROVED:
            return Mark.SETTLED
        case ReviewState.UNTESTED | ReviewState.UNTESTABLE | ReviewState.REMOVAL:
            return Mark.OPEN
    return Mark.CAUTION


def author_line(proposal: Json) -> tuple[Mark, str]:
    """Return the checklist's mark and sentence about who wrote a proposed skill's text: the user,
    Lull or somebody else.

    The sentence is "" for a proposal that only removes a skill, and if the authors are not known.
    """
    found = Counter(str(trace.get("whose") or "") for trace in proposal.get("provenance") or ())
    if proposal["kind"] == "retire" or not found:
        return Mark.OPEN, ""
    total = found.total()
    if found[WordsAuthor.OTHERS]:
        return Mark.CAUTION, tr(
            "%1 of %2 sentences come from someone else's text, not from you.",
            found[WordsAuthor.OTHERS],
            total,
        )
    if found[WordsAuthor.LULL] == total:
        return Mark.OPEN, tr("Written by Lull, not in your words.")
    if found[WordsAuthor.LULL]:
        return Mark.OPEN, tr(
            "%1 of %2 sentences were written by Lull, the others come from your words.",
            found[WordsAuthor.LULL],
            total,
        )
    if found[WordsAuthor.YOURS] == total:
        return Mark.SETTLED, tr("In your own words.")
    return Mark.SETTLED, tr(
        "Written by Lull from your words; what you typed is marked under “Overview”."
    )


def source_words(proposal: Json) -> str:
    """Say where a proposed skill comes from: out of what it was made, by whom, and when."""
    made = short_date(proposal.get("made"))
    suggested = tr("Suggested on %1.", made) if made else ""
    said = (origin_words(proposal.get("origin")), author_line(proposal)[1], suggested)
    return " ".join(words for words in said if words)
