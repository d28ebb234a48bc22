"""The steps of the first-run dialog: what must be known, connecting chat apps, and what Lull does
while the user is away.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from lull.contract import routes
from lull.core.idle.hours import reads
from lull.desktop.language.words import counted, percent, plain, reword_for_window, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Phase, Subject
from lull.desktop.shared.autostart import Autostart, AutostartPart
from lull.desktop.shared.connect.card import ConnectCard
from lull.desktop.shared.connect.words import is_listed
from lull.desktop.shared.model_choice import ModelChoice
from lull.desktop.widgets.chat.sample import SampleChat
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.text.long_text import LongText
from lull.desktop.widgets.tokens import GAP
from lull.desktop.widgets.wrapped_check import WrappedCheck


class WelcomeStep(QWidget):
    """Base class of the steps of the first-run dialog."""

    title = ""

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self.kit = kit
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(0, 0, GAP, 0)
        self.box.setSpacing(GAP)
        self.lay_out()
        self.box.addStretch(1)

    def lay_out(self) -> None:
        """Create the widgets of this step of the first-run dialog; called once for each step."""

    def refresh(self) -> None:
        """Update this step of the first-run dialog; called when the step is shown and when the
        window's data have changed.
        """

    def may_leave(self) -> bool:
        """Whether the user may go on to the next step of the first-run dialog; if not, this step
        shows why.
        """
        return True

    def says(self, text: str, kind: str = "") -> QLabel:
        """Add a paragraph of text to the step and return its label."""
        made = label(text, kind, wrap=True)
        self.box.addWidget(made)
        return made


class StartStep(WelcomeStep):
    """First-run step that says all that a new user must know: what Lull does, what waits for the
    user's approval, where everything is kept, and which model answers.
    """

    def lay_out(self) -> None:
        self.title = tr("Everything stays on this computer")
        self._asked_for_weights = False
        self.says(
            tr(
                "Say what is wrong with an answer, and Lull makes a skill of it: a short "
                "instruction for the answers to come."
            )
        )
        self.says(
            tr(
                "No skill is used until you approve it. A trained model is tested first, then "
                "tried on a few of your conversations; you can go back at any time."
            )
        )
        self.says(
            tr(
                "Your conversations are kept in %1. You can delete any, with what was "
                "learned from it.",
                self.kit.place.home,
            )
        )
        self.behind = self.says("")

    def refresh(self) -> None:
        state = self.kit.state
        upstream = state.status.get("upstream", {})
        if state.phase is not Phase.LIVE:
            self.behind.setText(tr("The service is starting…"))
        elif upstream.get("ok"):
            self.behind.setText(tr("Ollama is running at %1.", upstream.get("address", "")))
        else:
            self._make_ready()
            self.behind.setText(
                tr(
                    "Until you start Ollama, a small built-in model answers. It chats in English "
                    "and makes many mistakes."
                )
                + self._how_far()
            )
        set_kind(self.behind, "" if upstream.get("ok") else "warn")

    def _make_ready(self) -> None:
        """Have the built-in model's weights made while the user reads on, once."""
        built_in = self.kit.state.status.get("built_in") or {}
        if built_in.get("ready", True) or self._asked_for_weights:
            return
        self._asked_for_weights = True
        self.kit.state.act(
            routes.MODELS_BUILT_IN,
            {},
            words=tr("Making the built-in model ready"),
            then=lambda _: self.kit.state.touch(Subject.STATUS),
        )

    def _how_far(self) -> str:
        built_in = self.kit.state.status.get("built_in") or {}
        if built_in.get("problem"):
            return " " + reword_for_window(plain(str(built_in["problem"])))
        if built_in.get("progress") is None:
            return ""
        return " " + tr("It is being made ready: %1.", percent(float(built_in["progress"])))


class ConnectStep(WelcomeStep):
    """First-run step that connects the chat apps that are installed, shows the address that any
    other app must send its requests to, and sends a sample request.
    """

    def lay_out(self) -> None:
        self.title = tr("Connect your chat app")
        self.apps = ConnectCard(self.kit)
        self.apps.hide()
        self.box.addWidget(self.apps)
        self.by_hand = self.says("")
        self.address = self._line(tr("Lull's address"))
        copy = button(tr("Copy address"), self.kit.actions.copy_address)
        self.box.addLayout(row(self.address, copy))
        self.try_it = button(tr("Send a test message"), self._try, main=False)
        self.box.addLayout(row(self.try_it, None))
        self.answer = self.says("")
        self.says(tr("Or paste this into a terminal:"), "muted")
        self.line = LongText(self.kit.place.ask)
        self.line.setFont(mono())
        self.line.setAccessibleName(tr("A line to paste"))
        paste = button(tr("Copy line"), self._copy_line)
        self.box.addWidget(self.line)
        self.box.addLayout(row(paste, None))
        self._pressed = False
        self._waiting = False
        self._sample = SampleChat(self)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        # An app may have been installed meanwhile; without one the card, which looks for it itself,
        # is hidden.
        self.kit.state.touch(Subject.CLIENTS)

    def _line(self, name: str) -> QLineEdit:
        made = QLineEdit()
        made.setReadOnly(True)
        made.setFont(mono())
        made.setAccessibleName(name)
        return made

    def refresh(self) -> None:
        address = self.kit.actions.address
        if self.address.text() != address:
            self.address.setText(address)
        clients = self.kit.state.value(Subject.CLIENTS).get("clients") or ()
        found = any(is_listed(one) for one in clients)
        self.apps.setVisible(found)
        other = tr("In any other chat app, replace Ollama's address with this one.")
        only = tr("In your chat app, replace Ollama's address with this one.")
        self.by_hand.setText(other if found else only)
        self.try_it.setEnabled(self.kit.state.phase is Phase.LIVE and not self._waiting)

    def _copy_line(self) -> None:
        self.kit.actions.copy(self.kit.place.ask, tr("Copied."))

    def _try(self) -> None:
        self._pressed = self.try_it.hasFocus()
        self._waiting = True
        self.try_it.setEnabled(False)
        set_kind(self.answer, "muted")
        self.answer.setText(tr("Sent. The model is loading…"))
        self.kit.state.get(routes.TOKEN, self._send)

    def _send(self, answer: Reply) -> None:
        token = str(answer.value.get("token") or "")
        self._sample.send(self.kit.actions.address, token, self._answered)

    def _answered(self, good: bool, text: str) -> None:
        self._waiting = False
        self.try_it.setEnabled(True)
        if self._pressed:  # disabling the button moved the focus to "Finish later"
            self.try_it.setFocus()
        set_kind(self.answer, "good" if good else "bad")
        words = tr("Works. Lull answered: “%1”", plain(text)) if good else tr("No answer: %1", text)
        self.answer.setText(words)


class AwayStep(WelcomeStep):
    """First-run step about what Lull does by itself: which model it trains, in which hours, and
    whether it starts at login. All of it has a default.
    """

    def lay_out(self) -> None:
        self.title = tr("While you're away")
        self.says(
            tr(
                "Lull tests and trains when you've been away for a while and the computer is "
                "plugged in and cool. It stops the moment you return."
            )
        )
        self.says(tr("You can leave all of this as it is, and change it later in Settings."))
        self.says(tr("The model that learns from you"), "muted")
        self.choice = ModelChoice(self.kit)
        self.box.addWidget(self.choice)
        self.says(tr("Usual sleep hours (Lull starts sooner then)"), "muted")
        self.sleep = QLineEdit()
        self.sleep.setPlaceholderText(tr("e.g. %1", "23:00-07:00"))
        self.sleep.setAccessibleName(tr("Sleep hours"))
        self.sleep.editingFinished.connect(self._set)
        self.box.addWidget(self.sleep)
        self.wrong = self.says("", "bad")
        self.wrong.hide()
        self.sleep.textEdited.connect(self.wrong.hide)
        self.calendars = self.says("", "muted")
        self.box.addLayout(row(button(tr("Add a calendar…"), self._add), None))
        self._at_login()

    def _at_login(self) -> None:
        self.boxes: list[QCheckBox] = []
        autostart = Autostart.for_platform(self.kit.place)
        if autostart is None:
            self.says(tr("Lull can't start by itself on this system."), "muted")
            return
        self.says(tr("When I log in"), "muted")
        self._check(autostart, AutostartPart.SERVICE, tr("Start Lull in the background"))
        self._check(autostart, AutostartPart.ICON, tr("Show the tray icon"))

    def refresh(self) -> None:
        if not self.sleep.isModified():
            self.sleep.setText(", ".join(self._value()))
        self.choice.refresh()
        count = len(self.kit.state.value(Subject.CALENDARS).get("calendars", ()))
        words = counted(count, "%1 calendar", "%1 calendars")
        none = tr("Optional: add a calendar so that Lull knows when you're away or busy.")
        self.calendars.setText(words if count else none)

    def _value(self) -> list[str]:
        rows = self.kit.state.value(Subject.SETTINGS).get("settings", ())
        found = next((r["value"] for r in rows if r["key"] == "idle.sleep_hours"), ())
        return [str(one) for one in found or ()]

    def may_leave(self) -> bool:
        """Whether the entered sleep hours can be parsed; if not, show the error beside them."""
        wrong = [one for one in _entries(self.sleep.text()) if not reads(one)]
        if wrong:
            words = tr("Can't read “%1”. Use hours such as 23:00-07:00.", plain(wrong[0]))
            self.wrong.setText(words)
            self.sleep.setFocus()
        self.wrong.setVisible(bool(wrong))
        return not wrong

    def _set(self) -> None:
        if self.sleep.isModified() and self.may_leave():
            self.sleep.setModified(False)
            if _entries(self.sleep.text()) == self._value():
                return
            self.kit.state.act(
                routes.SETTINGS,
                {"key": "idle.sleep_hours", "value": self.sleep.text()},
                words=tr("Sleep hours"),
                done=tr("Sleep hours saved."),
                then=lambda _: self.kit.state.touch(Subject.SETTINGS),
            )

    def _add(self) -> None:
        from lull.desktop.shared.feed_dialog import FeedDialog

        dialog = FeedDialog(self.kit, self)
        dialog.added.connect(lambda: self.kit.state.touch(Subject.CALENDARS))
        dialog.open()

    def _check(self, autostart: Autostart, part: AutostartPart, words: str) -> None:
        box = WrappedCheck(words)
        box.setChecked(autostart.is_on(part))
        box.toggled.connect(lambda on: self._turn(autostart, part, on))
        self.boxes.append(box)
        self.box.addWidget(box, 0, Qt.AlignmentFlag.AlignLeft)

    def _turn(self, autostart: Autostart, part: AutostartPart, on: bool) -> None:
        try:
            autostart.set_enabled(part, on=on)
        except OSError as error:
            told = OutcomeMessage(text=tr("Not done: %1.", error.strerror), good=False)
            self.kit.state.told.emit(told)


def _entries(text: str) -> list[str]:
    """The separate hours in a typed list."""
    return [one.strip() for one in text.split(",") if one.strip()]
