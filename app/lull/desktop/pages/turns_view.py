"""A conversation to read: each turn with its words, its worth, and buttons to rate it."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from lull.desktop.page import Kit
from lull.desktop.pages.diff import marked_html
from lull.desktop.parts import Card, button, empty_out, label, row
from lull.desktop.tokens import GAP, Theme
from lull.desktop.words import percent, plain, short_date, tr

Json = dict[str, Any]
MOST: Final = 30
"""Turns that are drawn; a very long conversation shows its newest."""
LONG: Final = 8_000
_REDACTED: Final = re.compile(r"⟨secret:[a-z-]+:\d+⟩")


class TurnsView(QScrollArea):
    changed = Signal()
    """A turn was rated."""

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._conversation = ""
        self._shown: Json | None = None
        kit.look.changed.connect(self._again)
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("The conversation"))
        inner = QWidget()
        self._box = QVBoxLayout(inner)
        self._box.setContentsMargins(0, 0, GAP, 0)
        self._box.setSpacing(GAP * 2)
        self.setWidget(inner)

    def clear(self) -> None:
        self._conversation, self._shown = "", None
        empty_out(self._box)

    def _again(self) -> None:
        if self._shown is not None:
            self.show_conversation(self._shown)

    def show_conversation(self, shown: Json) -> None:
        other = shown["id"] != self._conversation
        self._conversation, self._shown = shown["id"], shown
        empty_out(self._box)
        turns = list(shown.get("turns", ()))
        names = ", ".join(plain(s["name"]) for s in shown.get("skills", ())) or tr("none")
        head = tr("%1 with %2, skills: %3", plain(shown["client"]), plain(shown["model"]), names)
        self._box.addWidget(label(head, "muted", wrap=True))
        if shown.get("excluded"):
            self._box.addWidget(label(tr("You keep it out of learning."), "warn", wrap=True))
        if len(turns) > MOST:
            words = tr("The newest %1 of %2 turns.", MOST, len(turns))
            self._box.addWidget(label(words, "small"))
        for turn in turns[-MOST:]:
            self._box.addWidget(self._turn(turn))
        self._box.addStretch(1)
        if other:
            self.verticalScrollBar().setValue(0)

    def _turn(self, turn: Json) -> Card:
        card = Card()
        card.box.addWidget(label(tr("You, %1", short_date(turn.get("at"))), "small"))
        theme = self._kit.look.theme
        card.box.addWidget(_words(str(turn.get("request", "")), theme))
        card.box.addWidget(label(plain(str(turn["policy"].get("model", ""))), "small"))
        card.box.addWidget(_words(str(turn.get("answer", "")) or _called(turn), theme))
        hidden = redactions(turn)
        if hidden:
            words = tr("Blacked out before it was written: %1", ", ".join(hidden))
            card.box.addWidget(label(words, "warn", wrap=True))
        card.box.addWidget(label(worth_words(turn), "small", wrap=True))
        card.box.addLayout(self._rating(turn))
        return card

    def _rating(self, turn: Json) -> Any:
        buttons = []
        for value, words in (("good", tr("Good")), ("bad", tr("Bad"))):
            chosen = turn.get("label") == value
            made = button(
                words,
                functools.partial(self._rate, turn["id"], "clear" if chosen else value),
                flat=True,
                name=tr("Rate turn %1: %2", turn.get("number", 0) + 1, words),
            )
            made.setCheckable(True)
            made.setChecked(chosen)
            buttons.append(made)
        return row(*buttons, None)

    def _rate(self, turn: str, value: str) -> None:
        self._kit.actions.rate(turn, value, lambda _: self.changed.emit())


def _words(text: str, theme: Theme) -> QLabel:
    """As it was written; what was blacked out is marked."""
    shown = plain(text if len(text) <= LONG else f"{text[:LONG]}…")
    made = label(shown, wrap=True)
    if hidden := _REDACTED.findall(shown):
        made.setTextFormat(Qt.TextFormat.RichText)
        made.setText(marked_html(shown, hidden, theme))
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    made.setAccessibleName(shown[:80])
    return made


def _called(turn: Json) -> str:
    calls = [f"{call['name']}({call['arguments']})" for call in turn.get("tool_calls", ())]
    return "\n".join(calls) or tr("(no text)")


def redactions(turn: Json) -> list[str]:
    """The kinds of secrets that were taken out of a turn, in words."""
    found = _REDACTED.findall(f"{turn.get('request', '')}\n{turn.get('answer', '')}")
    return list(dict.fromkeys(one.split(":")[1].replace("-", " ") for one in found))


def _who_says(source: str) -> str:
    words = {
        "verifiable": tr("says a check"),
        "explicit": tr("you say"),
        "implicit": tr("by what you did next"),
        "judge": tr("says a judge"),
    }
    return words.get(source, source.replace("-", " "))


def worth_words(turn: Json) -> str:
    """What the turn was worth, by whom, and whether it may train."""
    reward = turn.get("reward")
    if reward is None:
        worth = tr("Not scored yet")
    else:
        good = percent(float(reward["p_good"]))
        worth = tr("%1 likely good, %2", good, _who_says(str(reward["source"])))
    signals = "; ".join(plain(s["text"]) for s in turn.get("signals", ()) if s.get("text"))
    learns = tr("may train") if turn.get("eligible") else str(turn.get("why_not") or "")
    if reward is None and learns == "not scored yet":
        learns = ""  # said already
    note = plain(str(turn.get("note") or ""))
    return " · ".join(part for part in (worth, signals, learns, note) if part)
