"""Widget that shows a conversation: each turn (a request and its answer) with its text, its score
and buttons to rate it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget

from lull.contract.chat_headers import WINDOW_CLIENT
from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import (
    hover,
    plain,
    short_date,
    skill_title,
    tr,
)
from lull.desktop.pages.chat.correcting import Correcting, field_name
from lull.desktop.pages.chat.denied_dialog import DeniedDialog, skills_of_words
from lull.desktop.pages.chat.score_words import score_words
from lull.desktop.pages.chat.search_hits import hits, part_with
from lull.desktop.pages.chat.secret_words import removed_kinds, shown_secrets, with_kinds_named
from lull.desktop.service.state import Subject
from lull.desktop.shared.teaching import teach
from lull.desktop.widgets.accessible import tab_after
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Card, button, clear_layout, label
from lull.desktop.widgets.text.diff import marked_html
from lull.desktop.widgets.text.long_text import LongText, has_long_run, line_of
from lull.desktop.widgets.tokens import GAP, Theme

MOST_TURNS: Final = 30
"""Most turns shown; of a longer conversation only the newest are."""
MOST_SHOWN_CHARACTERS: Final = 8_000
SAID: Final = ("request", "answer")
"""Fields of a turn that have what was said."""


class TurnsView(QScrollArea):
    """Widget that shows the turns of one conversation (each a request and its answer) as cards."""

    changed = Signal()
    """Emitted when the user rated a turn."""

    def __init__(self, kit: Kit, *, after: QWidget) -> None:
        """Create the view; `after` is the control from which the Tab key leads into the
        conversation.
        """
        super().__init__()
        self._kit = kit
        self._after = after
        self._conversation = ""
        self.shown: Json | None = None
        """The open conversation, as the service's JSON has it."""
        self.correcting = Correcting(self)
        self.correcting.changed.connect(self._again)
        self.correcting.told.connect(self._correct)
        self.correcting.skill_wanted.connect(self._teach)
        kit.look.changed.connect(self._again)
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("The conversation"))
        # Tab goes from text to text, each of which is read out; Page Down still scrolls.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = inner = QWidget()
        self._box = QVBoxLayout(inner)
        self._box.setContentsMargins(0, 0, GAP, 0)
        self._box.setSpacing(GAP * 2)
        self.setWidget(inner)
        self._following = False
        self._stay: int | None = None
        """Where the reader is while the turns are drawn anew."""
        self._search = ""
        self._hit: tuple[QWidget, str] | None = None
        """The first text with the searched words, and the first of these; None once the reader
        has scrolled.
        """
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(lambda *_: self._follow())
        bar.actionTriggered.connect(lambda _: self._scrolled())

    def clear(self) -> None:
        """Show no conversation."""
        self._conversation, self.shown = "", None
        self._scrolled()
        clear_layout(self._box)

    def _again(self) -> None:
        if self.shown is not None:
            self.show_conversation(self.shown)

    def mark(self, search: str) -> None:
        """Mark the words of a search in every conversation that is shown, and show the first of
        them.
        """
        if search != self._search:
            self._search = search
            if self.shown is not None:
                self._show(self.shown, anew=True)

    def show_conversation(self, shown: Json) -> None:
        """Show a conversation, or its changes; the place scrolled to is kept for the same one."""
        self._show(shown, anew=shown["id"] != self._conversation)

    def _show(self, shown: Json, *, anew: bool) -> None:
        self._conversation, self.shown = shown["id"], shown
        self._hit = None
        focused = self._focused_name()
        clear_layout(self._box)
        turns = numbered_answers(shown)
        self._box.addWidget(label(_head_words(shown), "muted", wrap=True))
        if shown.get("excluded"):
            self._box.addWidget(label(tr("You excluded it from learning."), "warn", wrap=True))
        first = self._first_shown(turns)
        shown_turns = turns[first : first + MOST_TURNS]
        if len(turns) > MOST_TURNS:
            first, last, all_ = (some[-1][0] for some in (turns[: first + 1], shown_turns, turns))
            words = tr("Answers %1 to %2 of %3.", first, last, all_)
            if last == all_:
                words = tr("The newest %1 of %2 answers.", last - first + 1, all_)
            self._box.addWidget(label(words, "small"))
        for number, turn in shown_turns:
            corrects = bool(turn.get("corrects"))
            made = self._correction(turn) if corrects else self._turn(turn, number, turns[-1][0])
            self._box.addWidget(made)
        tab_after(self._after, self._inner)
        self._focus(focused)
        self._box.addStretch(1)
        self._stay = None if anew else self.verticalScrollBar().value()
        if anew:
            self._following = False
            self.verticalScrollBar().setValue(0)
            self._follow()
        else:
            self._hit = None  # the reader has seen it

    def _focused_name(self) -> str:
        """Return the name of the control in the conversation that has the focus; "" if none has."""
        held = QApplication.focusWidget()
        inside = held is not None and self._inner.isAncestorOf(held)
        return held.accessibleName() if held is not None and inside else ""

    def _focus(self, name: str) -> None:
        """Give the focus to the control of this name, or to a question that has just been asked."""
        for number, turn in numbered_answers(self.shown or {}):
            if self.correcting.begins and self.correcting.asks_about(turn):
                name, self.correcting.begins = field_name(_answer_name(number)), False
        for card in self._inner.findChildren(Card) if name else ():
            for one in card.findChildren(QWidget):
                if one.accessibleName() == name and self._box.indexOf(card) >= 0:
                    card.show()  # Qt shows it later, and what is hidden takes no focus
                    one.setFocus()

    def _first_shown(self, turns: Sequence[tuple[int, Json]]) -> int:
        """Return the number of the first turn to show: of many the newest are shown, or those from
        the first one with the searched words on.
        """
        newest = max(0, len(turns) - MOST_TURNS)
        said = enumerate(turn for _, turn in turns)
        texts = ((n, str(turn.get(key) or "")) for n, turn in said for key in SAID)
        found = (n for n, text in texts if self._search and hits(plain(text), self._search))
        return min(next(found, newest), newest)

    @property
    def at_end(self) -> bool:
        """Whether the newest turn is in view, so that the reader follows the conversation."""
        bar = self.verticalScrollBar()
        return self._following or bar.value() >= bar.maximum()

    def to_end(self) -> None:
        """Show the newest turn, and keep its end in view while the turns are laid out, until the
        reader scrolls.
        """
        self._following = True
        self._follow()

    def _follow(self) -> None:
        """Go where the reader was, or to the end, after Qt has laid out the turns."""
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        elif self._hit is not None:
            widget, word = self._hit
            top = widget.mapTo(self._inner, QPoint(0, line_of(widget, word))).y()
            bar.setValue(top - self.viewport().height() // 3)
        elif self._stay is not None and bar.maximum() >= self._stay:
            bar.setValue(self._stay)
            self._stay = None

    def _scrolled(self) -> None:
        """Follow the end or a hit no longer, because the reader chose what to see."""
        self._following, self._stay, self._hit = False, None, None

    def _correction(self, turn: Json) -> Card:
        """Make the card of what the user said in this window about the answer above it."""
        card = Card()
        said = tr("You, %1, in Lull's window about the answer above", short_date(turn.get("at")))
        card.box.addWidget(label(said, "small", wrap=True))
        card.box.addWidget(self._words(str(turn.get("request", "")), self._kit.look.theme))
        return card

    def _turn(self, turn: Json, number: int, newest: int) -> Card:
        """Make the card of an answer; `number` counts it in its conversation, from 1, as it does
        the `newest` one.
        """
        card = Card()
        card.box.addWidget(label(tr("You, %1", short_date(turn.get("at"))), "small"))
        theme = self._kit.look.theme
        card.box.addWidget(self._words(str(turn.get("request", "")), theme))
        card.box.addWidget(label(_by_whom(turn), "small", wrap=True))
        card.box.addWidget(self._words(str(turn.get("answer", "")) or _called(turn), theme))
        hidden = removed_kinds(f"{turn.get('request', '')}\n{turn.get('answer', '')}")
        if hidden:
            words = tr("Removed before saving: %1", ", ".join(hidden))
            card.box.addWidget(label(words, "warn", wrap=True))
        card.box.addWidget(label(score_words(turn, self._skill_texts(turn)), "small", wrap=True))
        card.box.addLayout(self._rating(turn, number))
        if self.correcting.asks_about(turn):
            name, last = _answer_name(number), number == newest
            card.box.addWidget(self.correcting.box(turn, answer=name, newest=last))
        return card

    def _words(self, text: str, theme: Theme) -> QWidget:
        """Make a widget with a text, in which removed secrets and searched words are marked."""
        shown = plain(text)
        shown = part_with(shown, hits(shown, self._search), MOST_SHOWN_CHARACTERS)
        secrets, shown = shown_secrets(shown), with_kinds_named(shown)
        found = hits(shown, self._search)
        html = marked_html(shown, secrets, theme, places=found) if secrets or found else ""
        made = _text_widget(shown, html)
        if found and self._hit is None:
            self._hit = made, shown[slice(*found[0])]
        return made

    def _skill_texts(self, turn: Json) -> list[str]:
        """Return the texts of the skills that were in this turn's prompt, as far as they stand."""
        used = {str(one["name"]) for one in turn.get("skills") or ()}
        there = self._kit.state.value(Subject.SKILLS).get("skills") or ()
        return [str(one.get("body") or "") for one in there if one["name"] in used]

    def _rating(self, turn: Json, number: int) -> Any:
        buttons = []
        for value, words in (("good", tr("Good")), ("bad", tr("Bad"))):
            chosen = turn.get("label") == value
            made = button(
                words,
                functools.partial(self._rate, turn["id"], "clear" if chosen else value),
                flat=True,
                name=tr("Rate answer %1: %2", number, words),
            )
            made.setCheckable(True)
            made.setChecked(chosen)
            buttons.append(made)
        bad = turn.get("label") == "bad"
        words = tr("Correct this…") if bad else tr("Make a skill of this…")
        name = tr("%1: %2", _answer_name(number), words)
        do = functools.partial(self.correcting.ask, turn["id"]) if bad else None
        do = do or functools.partial(self._teach, turn)
        if not self.correcting.asks_about(turn):
            buttons.append(button(words, do, flat=True, name=name))
        if turn.get("label") in (None, "bad") and _read_as_correction(turn):
            words = tr("My next message was not a correction of this answer")
            deny = functools.partial(self._deny, turn)
            name = tr("%1: %2", _answer_name(number), words)
            short = tr("That was no correction")
            buttons.append(button(short, deny, flat=True, name=name))
            buttons[-1].setToolTip(hover(words))
        flow = Flow(gap=GAP)
        for one in buttons:
            flow.addWidget(one)
        return flow

    def _teach(self, turn: Json, words: str = "") -> None:
        client = str((self.shown or {}).get("client") or "")
        dialog = teach(self._kit, turn, client, self.window(), words=words)
        dialog.given.connect(lambda _: self.correcting.leave())

    def _deny(self, turn: Json) -> None:
        asked: list[Json] = skills_of_words(self._kit.state, turn)

        def then(done: bool) -> None:
            self.changed.emit()
            if done and asked:
                DeniedDialog(self._kit.state, list(asked), self.window()).open()
                asked.clear()  # not again once the denial is taken back

        self._kit.actions.deny(turn["id"], True, then)

    def _correct(self, turn: str, words: str) -> None:
        def then(done: bool) -> None:
            if done:  # else the words stay where the user wrote them
                self.correcting.leave()
                self.changed.emit()

        self._kit.actions.correct(turn, words, then)

    def _rate(self, turn: str, value: str) -> None:
        if value == "bad":
            self.correcting.ask(turn)
        self._kit.actions.rate(turn, value, lambda _: self.changed.emit())


def numbered_answers(shown: Json) -> list[tuple[int, Json]]:
    """Return the turns of a conversation, each with the number of its answer, from 1; what the user
    said later about an answer has that answer's number.
    """
    numbered: list[tuple[int, Json]] = []
    for turn in shown.get("turns", ()):
        last = numbered[-1][0] if numbered else 0
        numbered.append((last if turn.get("corrects") else last + 1, turn))
    return numbered


def _answer_name(number: int) -> str:
    return tr("Answer %1", number)


def _read_as_correction(turn: Json) -> bool:
    return any(signal["kind"] == "correction" for signal in turn.get("signals") or ())


def _head_words(shown: Json) -> str:
    """Say from which chat app a conversation is, which model answered, and which skills were in its
    prompts.
    """
    client, model = str(shown["client"]), plain(str(shown["model"]))
    # The conversation itself names only those of its newest answer.
    of_turns = (turn.get("skills") or () for turn in shown.get("turns") or ())
    skills = (one for each in (shown.get("skills") or (), *of_turns) for one in each)
    names = ", ".join(dict.fromkeys(skill_title(one["name"]) for one in skills))
    said = tr("From the chat app “%1”, answered by %2.", client_title(client), model)
    if client == WINDOW_CLIENT:
        said = tr("Written in this window, answered by %1.", model)
    used = tr("Skills that were used: %1.", names) if names else tr("No skill was used.")
    return f"{said} {used}"


def _by_whom(turn: Json) -> str:
    """Say which model answered, and which skills were in its prompt."""
    model = plain(str(turn["policy"].get("model", "")))
    names = [skill_title(skill["name"]) for skill in turn.get("skills") or ()]
    return f"{model} · {tr('Skills: %1', ', '.join(names))}" if names else model


def _text_widget(shown: str, html: str) -> QWidget:
    """Make a widget with a text that can be selected; `html` is the text with its marks, or ""."""
    if has_long_run(shown):
        long = LongText(html or shown, html=bool(html))
        long.setAccessibleName(shown[:80])
        return long
    made = label(shown, wrap=True)
    if html:
        made.setTextFormat(Qt.TextFormat.RichText)
        made.setText(html)
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    made.setAccessibleName(shown[:80])
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return made


def _called(turn: Json) -> str:
    calls = [f"{call['name']}({call['arguments']})" for call in turn.get("tool_calls", ())]
    return "\n".join(calls) or tr("(no text)")
