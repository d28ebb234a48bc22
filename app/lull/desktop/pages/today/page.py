"""The Today page: Lull's status, recent changes, open decisions, and why background work such as
training may or may not run now.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from lull.contract.json_object import Json
from lull.desktop.language.words import (
    ago,
    count,
    counted,
    now,
    plain,
    tr,
    translated,
    without_args,
)
from lull.desktop.pages.today.conditions import Conditions
from lull.desktop.pages.today.digest import digest
from lull.desktop.pages.today.drifted_card import DriftedCard
from lull.desktop.pages.today.failed_card import FailedCard
from lull.desktop.pages.today.needs_you import NeedsYouCard
from lull.desktop.pages.today.words import count_nouns, reward_words, work_lines
from lull.desktop.service.actions import pause_lengths
from lull.desktop.service.state import Subject
from lull.desktop.shared.changes import newest_changes
from lull.desktop.shared.learning_feed import LearningFeed
from lull.desktop.shared.teaching import TeachCard
from lull.desktop.shared.testing.running_tests import stop_test
from lull.desktop.shared.tray_status import tray_status, under_test
from lull.desktop.widgets.flow import Flow, scrolled
from lull.desktop.widgets.page import Kit, Page, PageName
from lull.desktop.widgets.parts import Card, button, clear_layout, label, row, set_kind
from lull.desktop.widgets.text.long_text import breakable
from lull.desktop.widgets.tokens import GAP

TODAY_FEED_DAYS: Final = 15
"""Number of days whose rewards are read: today and the two weeks to compare with."""
MOST_CHANGES: Final = 5


class TodayPage(Page):
    """The Today page: an overview of Lull's status, recent changes and open decisions, in cards."""

    subjects = (
        Subject.STATUS,
        Subject.SKILLS,
        Subject.RUNS,
        Subject.WINDOWS,
        Subject.PROPOSALS,
    )

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Today"))
        self.feed = LearningFeed(kit.state, days=TODAY_FEED_DAYS)
        self.feed.changed.connect(self._look)
        inner = QWidget()
        # Before its cards are added: Qt works out the styles of all that is in it once more.
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(scrolled(inner))
        grid = QVBoxLayout(inner)
        grid.setContentsMargins(0, 0, GAP, 0)
        grid.setSpacing(GAP * 2)
        self.problems = NeedsYouCard(self.kit)
        grid.addWidget(self.problems)
        grid.addWidget(self._checklist())
        self.drifted = DriftedCard(kit)
        grid.addWidget(self.drifted)
        self.failed = FailedCard()
        grid.addWidget(self.failed)
        grid.addWidget(self._learning_card())
        grid.addWidget(self._digest_card())
        grid.addLayout(self._figures())
        grid.addWidget(self._question_card())
        self.teach = TeachCard(self.kit)
        grid.addWidget(self.teach)
        grid.addWidget(self._changes_card())
        grid.addWidget(self._service_card())
        grid.addStretch(1)

    def draft(self) -> str:
        return self.teach.draft()

    def take_draft(self, written: str) -> None:
        self.teach.take_draft(written)

    # Cards

    def _checklist(self) -> Card:
        card = self.checklist = Card(tr("Three steps to start"))
        card.box.addWidget(
            label(
                tr(
                    "Everything stays on this computer. Lull sits between your chat app and "
                    "Ollama, and learns from what you say. No skill is used until you approve "
                    "it; a trained model is tested first, then tried on a few conversations, and "
                    "you can go back at any time."
                ),
                "muted",
                wrap=True,
            )
        )
        chat = button(tr("Chat here"), lambda: self.kit.go(PageName.CHAT), main=True)
        copy = button(tr("Copy address"), self.kit.actions.copy_address)
        starter = button(tr("Look at skills"), lambda: self.kit.go(PageName.SKILLS))
        self.steps = [label("", wrap=True) for _ in range(3)]
        self.ways = ((chat, copy), (), (starter,))
        """The buttons of each step, below it until it is done."""
        for step, ways in zip(self.steps, self.ways, strict=True):
            card.box.addWidget(step)
            if ways:
                card.box.addLayout(row(*ways, None))
        return card

    def _learning_card(self) -> Card:
        card = Card()
        self.line = label("", "head", wrap=True)
        self.because = label("", "muted", wrap=True)
        self.pause = button(tr("Pause"), lambda: None)
        menu = QMenu(self.pause)
        for length, words in pause_lengths():
            do = functools.partial(self.kit.actions.pause, length)
            menu.addAction(words).triggered.connect(without_args(do))
        self.pause.setMenu(menu)
        self.resume = button(tr("Resume"), self.kit.actions.resume)
        self.train = button(tr("Train now"), self.kit.actions.train_now)
        self.train.setToolTip(
            tr(
                "Starts without waiting until you're away, but not while the "
                "computer is hot, on battery or short of memory."
            )
        )
        texts = QVBoxLayout()
        texts.addWidget(self.line)
        texts.addWidget(self.because)
        card.box.addLayout(texts)
        self.stop = button(tr("Stop testing"), self._stop_test)
        card.box.addLayout(row(self.pause, self.resume, self.train, self.stop, None))
        self.work = label("", "small", wrap=True)
        card.box.addWidget(self.work)
        self.conditions = Conditions(self.kit)
        card.box.addWidget(self.conditions)
        return card

    def _digest_card(self) -> Card:
        self.digest = Card(tr("Since yesterday"))
        self._digest_words = label("", wrap=True)
        self.digest.box.addWidget(self._digest_words)
        return self.digest

    def _figures(self) -> Flow:
        cards = Flow(gap=GAP * 2, even=True)
        self.figures: dict[str, QLabel] = {}
        self.notes = {name: label("", "small", wrap=True) for name in ("conversations", "reward")}
        titles = {name: many for name, (_, many) in count_nouns().items()}
        titles["reward"] = tr("good answers today")
        self.titles: dict[str, QLabel] = {}
        for name, words in titles.items():
            card = Card()
            self.figures[name] = label("–", "figure")
            self.titles[name] = label(words, "muted", wrap=True)
            card.box.addWidget(self.figures[name])
            card.box.addWidget(self.titles[name])
            cards.addWidget(card)
            if name in self.notes:
                card.box.addWidget(self.notes[name])
            if name == "proposals":
                self.review = button(tr("Review"), lambda: self.kit.go(PageName.REVIEW), main=True)
                card.box.addLayout(row(self.review, None))
            card.box.addStretch(1)
        return cards

    def _question_card(self) -> Card:
        self.question = Card(tr("Was this answer good?"))
        self._asked = ""
        self._asked_turn: Json = {}
        self._asked_words = label("", "muted", wrap=True)
        self._answer_words = label("", wrap=True)
        self.question.box.addWidget(self._asked_words)
        self.question.box.addWidget(self._answer_words)
        good = button(tr("Good"), lambda: self._rate("good"), name=tr("Rate this answer good"))
        bad = button(tr("Bad"), lambda: self._rate("bad"), name=tr("Rate this answer bad"))
        self.question.box.addLayout(row(good, bad, None))
        return self.question

    def _changes_card(self) -> Card:
        self.changes = Card(tr("Recent changes"))
        self._change_lines = QGridLayout()
        self._change_lines.setHorizontalSpacing(GAP * 2)
        self._change_lines.setColumnStretch(1, 1)
        self.changes.box.addLayout(self._change_lines)
        more = button(
            tr("See the learning curve"), lambda: self.kit.go(PageName.LEARNING), flat=True
        )
        self.changes.box.addLayout(row(more, None))
        return self.changes

    def _service_card(self) -> Card:
        card = Card(tr("Service"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP * 2)
        grid.setColumnStretch(1, 1)
        titles = (
            tr("Address"),
            tr("Answered by"),
            tr("Model"),
            tr("Adapter (trained part)"),
            tr("Skills version"),
        )
        self.facts = [label("", wrap=True) for _ in titles]
        for line, (title, fact) in enumerate(zip(titles, self.facts, strict=True)):
            fact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(label(title, "muted", wrap=True), line, 0)
            grid.addWidget(fact, line, 1)
        card.box.addLayout(grid)
        copy = self.kit.actions.copy_address
        card.box.addLayout(row(button(tr("Copy the address"), copy, flat=True), None))
        self.judge = label("", "small", wrap=True)
        card.box.addWidget(self.judge)
        return card

    # Visibility

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.feed.set_page_visible(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.feed.set_page_visible(False)

    # Showing

    def show_content(self) -> None:
        status, learning = self.state.status, self.state.learning
        stands = tray_status(self.state, now())
        self.line.setText(stands.line)
        because = translated(learning, "because")
        if stands.tests:
            because = tr("What you start yourself does not wait until you're away.")
        # What the line or the condition below says is not said again.
        conditions = learning.get("gates") or ()
        below = any(because == translated(one) for one in conditions if one["state"] != "open")
        said_already = below or because.rstrip(".") in stands.line
        self.because.setText("" if said_already else because)
        self.because.setVisible(stands.learns and bool(self.because.text()))
        for control in (self.pause, self.resume, self.train):
            control.setEnabled(stands.learns)
        self.stop.setVisible(stands.running and under_test(self.state) is not None)
        self.pause.setVisible(not stands.paused)
        self.resume.setVisible(stands.paused)
        # What was last heard of a service that is off or gone says nothing about now.
        self._show_work(learning if stands.learns else {})
        self.conditions.setVisible(stands.learns)
        self.conditions.show_conditions(conditions)
        self._show_figures(status)
        self._show_service(status)
        self.problems.show_status(status, running=stands.running)
        self.drifted.show_drifted(status.get("drifted") or ())
        self.failed.show_failed(status.get("failed") or ())
        self._show_steps(status)
        self._show_question(status)
        self._show_digest()
        self._show_changes()

    def _stop_test(self) -> None:
        tested = under_test(self.state)
        if tested is not None:
            stop_test(self.state, tested)

    def _show_digest(self) -> None:
        windows = self.state.value(Subject.WINDOWS).get("windows") or ()
        trash = self.state.status.get("trash") or {}
        said = digest(self.feed.value, windows, now(), trash=trash)
        self._digest_words.setText("\n".join(said))
        self.digest.setVisible(bool(said))

    def _show_changes(self) -> None:
        refused = self.state.value(Subject.PROPOSALS).get("turned_down") or ()
        found = newest_changes(self.feed.value, MOST_CHANGES, turned_down=refused)
        self.changes.setVisible(bool(found))
        clear_layout(self._change_lines)
        for line, (at, words) in enumerate(found):
            self._change_lines.addWidget(label(ago(at, now()), "muted"), line, 0)
            self._change_lines.addWidget(label(words, wrap=True), line, 1)

    def _show_work(self, learning: Json) -> None:
        tested = under_test(self.state)
        lines = work_lines(learning, str(tested["name"]) if tested is not None else "")
        self.work.setText("\n".join(lines))
        self.work.setVisible(bool(lines))

    def _show_figures(self, status: Json) -> None:
        skills = status.get("skills", {})
        values = {
            "proposals": skills.get("proposals", 0),
            "skills": skills.get("active", 0),
            "conversations": status.get("conversations", 0),
        }
        for name, value in values.items():
            self.figures[name].setText(count(int(value)))
        for name, titles in count_nouns().items():
            self.titles[name].setText(titles[0] if int(values[name]) == 1 else titles[1])
        turns = int(status.get("turns", 0))
        self.notes["conversations"].setText(counted(turns, "%1 answer", "%1 answers"))
        share, note = reward_words(self.feed.value.get("days") or (), now().date().isoformat())
        self.figures["reward"].setText(share)
        one = share == count(1)
        self.titles["reward"].setText(tr("good answer today") if one else tr("good answers today"))
        self.notes["reward"].setText(note)
        self.review.setVisible(bool(values["proposals"]))

    def _show_service(self, status: Json) -> None:
        upstream, policy = status.get("upstream", {}), status.get("policy", {})
        there = tr("answers") if upstream.get("ok") else tr("does not answer")
        behind = tr("Ollama at %1 %2", upstream.get("address", ""), there)
        if upstream.get("kind") == "builtin":
            behind = tr("%1; only the built-in model answers", behind)
        values = (
            str(status.get("address") or ""),
            behind,
            str(policy.get("model") or tr("none yet")),
            str(policy.get("adapter_id") or tr("none (the original model)")),
            str(policy.get("generation", 0)),
        )
        for fact, value in zip(self.facts, values, strict=True):
            fact.setText(plain(value))
        set_kind(self.facts[1], "" if upstream.get("ok") else "warn")
        judge = status.get("judge") or {}
        helper = (status.get("helpers") or {}).get("judge") or {}
        nobody = helper.get("setting") == "auto" and not helper.get("model")
        words = (
            tr("No model was chosen automatically to judge answers: %1", translated(helper, "why"))
            if nobody
            else ""
        )
        self.judge.setText(words if judge.get("trains", True) else translated(judge, "why"))
        self.judge.setVisible(bool(self.judge.text()))

    def _show_steps(self, status: Json) -> None:
        turns = int(status.get("turns", 0))
        skills = int(status.get("skills", {}).get("active", 0))
        upstream = status.get("upstream", {})
        self.checklist.setVisible(turns == 0 or (skills == 0 and turns < 20))
        steps = (
            (
                turns > 0,
                tr(
                    "Chat here, or replace Ollama's address in your chat app with %1",
                    self.kit.actions.address,
                ),
            ),
            (
                bool(upstream.get("ok")),
                tr("Start Ollama; until then the small built-in model answers"),
            ),
            (skills > 0, self._correct_words()),
        )
        for step, ways, (done, words) in zip(self.steps, self.ways, steps, strict=True):
            for way in ways:
                way.setVisible(not done)
            step.setText(f"{'✓' if done else '○'}  {words}")
            set_kind(step, "good" if done else "")

    def _correct_words(self) -> str:
        return tr(
            "If an answer is wrong, say so in your next message. Lull makes a skill of it; there "
            "are starter skills, too."
        )

    def _show_question(self, status: Json) -> None:
        asked = str(status.get("question") or "")
        if asked != self._asked:
            self._asked = asked
            self.question.hide()
            if asked:
                from lull.contract import routes

                self.state.get(routes.TURN.format(id=asked), self._take_turn)
        elif not asked:
            self.question.hide()

    def _take_turn(self, answer: Any) -> None:
        if answer.ok and answer.value.get("id") == self._asked:
            self._asked_turn = dict(answer.value)
            for words, name in ((self._asked_words, "request"), (self._answer_words, "answer")):
                words.setText(breakable(_short(str(answer.value.get(name, "")))))
            self.question.show()

    def _rate(self, value: str) -> None:
        turn = self._asked_turn

        def then(done: bool) -> None:
            self.question.setVisible(not done)
            if done and value == "bad":
                self.teach.ask(turn)
            elif done:
                self.teach.hide()

        self.kit.actions.rate(self._asked, value, then)


def _short(text: str, most: int = 300) -> str:
    text = plain(text.strip())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
