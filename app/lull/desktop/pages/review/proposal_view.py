"""Widget that shows one proposed skill: what it asks for and where, its test results, who wrote its
sentences, the chat turns it was made from, and what it changes, in words or as a file.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtWidgets import QButtonGroup, QScrollArea, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.proof.review_state import ReviewState
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import ago, clock, now, plain, skill_title, tr
from lull.desktop.pages.review.approval_words import (
    cautions,
    flag_lines,
    reason_words,
    standing,
    status_chip,
    status_help,
)
from lull.desktop.pages.review.checklist import Checklist, source_words
from lull.desktop.pages.review.evidence import (
    figures_html,
    pairs_html,
    rule_html,
    sources_html,
    text_diff,
    turns_html,
    turns_of,
)
from lull.desktop.pages.review.proposal_rows import kind_words
from lull.desktop.pages.review.scope_and_check import ScopeAndCheck
from lull.desktop.pages.review.tested_words import odds_words
from lull.desktop.service.client import Reply
from lull.desktop.shared.skill_words import (
    FlagLook,
    conflict_words,
    fields_html,
    rule_words,
    where_words,
)
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Tab, button, chip, clear_layout, label, row
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.text.diff import side_by_side_html, unified_html
from lull.desktop.widgets.text.long_text import WholeText, beginning
from lull.desktop.widgets.tokens import GAP

VIEWS = ("evidence", "answers", "skill", "unified")

RULE_SHOWN: Final = 240
"""Most characters of a rule that are shown above its tests; a longer one is cut there, and stands
whole below.
"""


class ProposalView(QWidget):
    """Widget with the details of the selected proposed skill."""

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._shown: Json | None = None
        self._turns: dict[str, Json | None] = {}
        """The chat turns that were read, by id; None for a turn that is no longer stored."""
        self._pairs: list[Json] | None = None
        self._pairs_of: tuple[str, str, int] | None = None
        """The proposal's id, the hash of its text and the number of pairs for which `_pairs` was
        read.
        """
        self._asked: set[str] = set()
        self.view = "evidence"
        self.name = label("", "head", wrap=True)
        self._chips = row()
        self.rule = label("", wrap=True)
        self.rule.setAccessibleName(tr("What it asks for"))
        self.description = label("", "muted", wrap=True)
        self.checklist = Checklist()
        self.evidence = self.checklist.tested
        self.odds = label("", "small", wrap=True)
        self.cautions = label("", "warn", wrap=True)
        self.flags = label("", "bad", wrap=True)
        self.notes = label("", "muted", wrap=True)
        self.beside = ScopeAndCheck()
        self.side = button(tr("Side by side"), self._draw, flat=True)
        self.file = button(tr("Show the file"), self._draw, flat=True)
        for one in (self.side, self.file):
            one.setCheckable(True)
        self.text = WholeText()
        self.text.setAccessibleName(tr("Evidence and text"))
        self._lay_out()
        kit.look.changed.connect(self._draw)

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        box.addWidget(self.name)
        box.addLayout(self._chips)
        # Above the tabs is what must be read before a decision, whichever of them is open.
        for one in (self.rule, self.flags, self.cautions):
            box.addWidget(one)
        box.addLayout(self._tabs())
        self._overview = QWidget()
        inner = QVBoxLayout(self._overview)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GAP)
        for part in (self.description, self.checklist, self.odds, self.notes, self.beside):
            inner.addWidget(part)
        box.addWidget(self._overview)
        box.addWidget(self.text)
        box.addStretch(1)

    def _tabs(self) -> Flow:
        titles = (tr("Overview"), tr("Answers"), tr("The skill"), tr("Changes"))
        group = QButtonGroup(self)
        box = Flow(gap=GAP // 2)
        self.tabs: dict[str, Any] = {}
        for name, title in zip(VIEWS, titles, strict=True):
            made = Tab(title, functools.partial(self.show_view, name))
            made.setChecked(name == self.view)
            group.addButton(made)
            box.addWidget(made)
            self.tabs[name] = made
        box.addWidget(self.side)
        box.addWidget(self.file)
        return box

    def show_view(self, name: str) -> None:
        """Switch to the tab of this name."""
        self.view = name
        self.tabs[name].setChecked(True)
        self._draw()

    def show_proposal(self, proposal: Json) -> None:
        """Show the details of a proposed skill."""
        if proposal == self._shown:
            self.show_age()
            return
        other = self._shown is None or self._shown["id"] != proposal["id"]
        self._shown = proposal
        self.name.setText(skill_title(proposal["name"]))
        self._show_chips(proposal)
        rule = rule_words(str(proposal.get("body", "")))
        self.rule.setText(rule if len(rule) <= RULE_SHOWN else beginning(rule, RULE_SHOWN))
        self.description.setText(where_words(str(proposal.get("description", ""))))
        self.checklist.show_proposal(proposal)
        self.beside.show_proposal(proposal)
        self._show_findings(proposal)
        self._draw()
        if other:
            self._to_top()

    def _to_top(self) -> None:
        around = self.parentWidget()
        while around is not None and not isinstance(around, QScrollArea):
            around = around.parentWidget()
        if around is not None:
            around.verticalScrollBar().setValue(0)

    def show_age(self) -> None:
        """Say anew how long ago the proposal was made."""
        if self._shown is not None:
            self._age.setText(ago(self._shown.get("made"), now()))

    def _show_findings(self, proposal: Json) -> None:
        dangers = flag_lines(proposal, FlagLook.DANGER)
        if standing(proposal) is ReviewState.QUARANTINED and proposal.get("reason"):
            dangers.insert(0, f"⚠ {reason_words(proposal)}")
        careful = [f"⚠ {words}" for words in (conflict_words(proposal),) if words]
        if standing(proposal) is ReviewState.OUT_OF_DATE and proposal.get("reason"):
            careful.insert(0, f"⚠ {reason_words(proposal)}")
        careful += flag_lines(proposal, FlagLook.CAUTION)
        neutral = flag_lines(proposal, FlagLook.NEUTRAL)
        for shown, lines in (
            (self.odds, [words] if (words := odds_words(proposal)) else []),
            (self.flags, dangers),
            (self.cautions, careful),
            # What a test does not tell is no warning: hardly a first skill has more behind it.
            (self.notes, [f"○ {words}" for words in cautions(proposal)] + neutral),
        ):
            shown.setText("\n".join(lines))
            shown.setVisible(bool(lines))

    def _show_chips(self, proposal: Json) -> None:
        clear_layout(self._chips)
        words, kind = status_chip(proposal)
        client = proposal.get("client")
        whose = client_title(client) if client else tr("for all chat apps")
        shown = [chip(words, kind), chip(kind_words(proposal)), chip(whose)]
        shown[0].setToolTip(status_help(proposal))
        shown[0].setAccessibleDescription(status_help(proposal))
        self._age = chip(ago(proposal.get("made"), now()))
        shown.append(self._age)
        if proposal.get("until"):
            back = tr("Snoozed until %1", clock(proposal["until"], now()))
            shown.insert(1, chip(back))
        for one in shown:
            self._chips.addWidget(one)

    def _draw(self) -> None:
        proposal = self._shown
        if proposal is None:
            return
        theme = self._kit.look.theme
        of_file = self.view in ("skill", "unified")
        self._overview.setVisible(self.view == "evidence")
        self.side.setVisible(self.view == "unified")
        self.file.setVisible(of_file)
        file = self.file.isChecked() and of_file
        self.text.setFont(mono() if file else self.font())
        diff = str(proposal["diff"]) if file else text_diff(proposal)
        match self.view:
            case "unified" if not diff:
                self.text.setPlainText(
                    tr("Only settings within its file change, none of its words.")
                )
            case "unified" if self.side.isChecked():
                self.text.setHtml(side_by_side_html(diff, theme))
            case "unified":
                self.text.setHtml(unified_html(diff, theme))
            case "skill" if file:
                self.text.setPlainText(plain(str(proposal.get("text") or "")))
            case "skill":
                self.text.setHtml(fields_html(proposal, theme, source=source_words(proposal)))
            case "answers":
                self._ask_for_pairs(proposal)
                self.text.setHtml(self._answers(proposal))
            case "evidence":
                self._ask_for_turns(turns_of(proposal))
                self.text.setHtml(self._evidence(proposal))

    # Evidence

    def _ask_for_turns(self, turns: Sequence[str]) -> None:
        for turn in turns:
            if turn not in self._asked:
                self._asked.add(turn)
                self._kit.state.get(
                    routes.TURN.format(id=turn), functools.partial(self._take_turn, turn)
                )

    def _take_turn(self, turn: str, answer: Reply) -> None:
        if answer.ok:
            self._turns[turn] = answer.value
        elif answer.error.get("title") == "Not found":
            self._turns[turn] = None
        else:
            self._asked.discard(turn)  # read it again the next time it is shown
        if self.view in ("evidence", "answers"):
            self._draw()

    def _ask_for_pairs(self, proposal: Json) -> None:
        """Read the pairs of answers that test a proposed skill (a past request replayed with and
        without it).

        Read them again when the service reports that there are more.
        """
        count = int((proposal.get("evidence") or {}).get("pairs") or 0)
        key = (proposal["id"], proposal["sha256"], count)
        if key != self._pairs_of:
            self._pairs_of, self._pairs = key, None
            then = functools.partial(self._take_pairs, key)
            self._kit.state.get(routes.PROPOSAL_PAIRS.format(id=proposal["id"]), then)

    def _take_pairs(self, key: tuple[str, str, int], answer: Reply) -> None:
        if key != self._pairs_of:
            return
        if not answer.ok:
            self._pairs_of = None
            return
        self._pairs = list(answer.value["pairs"])
        self._ask_for_turns(list(dict.fromkeys(str(pair["turn"]) for pair in self._pairs)))
        if self.view == "answers":
            self._draw()

    def _evidence(self, proposal: Json) -> str:
        theme = self._kit.look.theme
        return (
            rule_html(proposal, whole=len(self.rule.text()) > RULE_SHOWN)
            + sources_html(proposal, theme)
            + turns_html(proposal, self._turns, theme)
        )

    def _answers(self, proposal: Json) -> str:
        theme = self._kit.look.theme
        pairs = pairs_html(self._pairs, self._turns, theme)
        return pairs + figures_html(proposal, theme)
