"""The five steps of the first run: what stays here, who answers, where chat clients find Lull, when
it may work, and how it starts."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from lull.contract import routes
from lull.desktop.autostart import Autostart, Part
from lull.desktop.client import Answer
from lull.desktop.model_choice import ModelChoice
from lull.desktop.page import Kit
from lull.desktop.parts import button, label, row, set_kind
from lull.desktop.sample import Sample
from lull.desktop.state import Phase, Subject, Told
from lull.desktop.style import mono
from lull.desktop.tokens import GAP
from lull.desktop.words import counted, plain, tr

Json = dict[str, Any]


class Step(QWidget):
    title = ""

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self.kit = kit
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.box.setSpacing(GAP)
        self.lay_out()
        self.box.addStretch(1)

    def lay_out(self) -> None:
        """Once."""

    def look(self) -> None:
        """The state has changed, or the step has come up."""

    def says(self, text: str, kind: str = "") -> QLabel:
        made = label(text, kind, wrap=True)
        self.box.addWidget(made)
        return made


class Stays(Step):
    def lay_out(self) -> None:
        self.title = tr("It stays on this computer")
        self.says(
            tr(
                "Lull stands between your chat client and your models. It records what was said, "
                "learns from what you correct, and changes what the models do: by skills in the "
                "prompt and, while you are away, by training their weights."
            )
        )
        self.says(
            tr(
                "Nothing is sent anywhere, and no skill is in force before you have approved it. "
                "Each change can be taken back, each conversation be forgotten with all that was "
                "made of it."
            )
        )
        self.says(tr("All files lie in %1", self.kit.place.home), "muted")


class Answers(Step):
    def lay_out(self) -> None:
        self.title = tr("Who answers")
        self.behind = self.says("")
        self.says(tr("The model that learns from you"), "muted")
        self.choice = ModelChoice(self.kit)
        self.box.addWidget(self.choice)

    def look(self) -> None:
        state = self.kit.state
        upstream = state.status.get("upstream", {})
        if state.phase is not Phase.LIVE:
            self.behind.setText(tr("The service is starting…"))
        elif upstream.get("ok"):
            self.behind.setText(tr("Ollama answers at %1.", upstream.get("address", "")))
        else:
            self.behind.setText(
                tr(
                    "No Ollama answers at %1. Until one does, the small built-in model “pocket” "
                    "answers alone; it knows only menus, lists and the like, and is good for a "
                    "try. Start Ollama at any time, Lull notices.",
                    upstream.get("address", ""),
                )
            )
        set_kind(self.behind, "" if upstream.get("ok") else "warn")
        self.choice.look()


class Addressed(Step):
    def lay_out(self) -> None:
        self.title = tr("Point your chat client here")
        self.says(tr("Where it has Ollama's address, put this one; nothing else changes."))
        self.address = self._line(tr("Lull's address"))
        copy = button(tr("Copy address"), self.kit.actions.copy_address)
        self.box.addLayout(row(self.address, copy))
        self.says(tr("Or paste this line into a terminal:"), "muted")
        self.line = self._line(tr("A line to paste"))
        self.line.setText(self.kit.place.ask)
        self.line.setCursorPosition(0)
        paste = button(tr("Copy line"), self._copy_line)
        self.box.addLayout(row(self.line, paste))
        self.try_it = button(tr("Send this request from here"), self._try, main=False)
        self.box.addLayout(row(self.try_it, None))
        self.answer = self.says("")
        self._pressed = False
        self._sample = Sample(self)

    def _line(self, name: str) -> QLineEdit:
        made = QLineEdit()
        made.setReadOnly(True)
        made.setFont(mono())
        made.setAccessibleName(name)
        return made

    def look(self) -> None:
        address = self.kit.actions.address
        if self.address.text() != address:
            self.address.setText(address)
        self.try_it.setEnabled(self.kit.state.phase is Phase.LIVE)

    def _copy_line(self) -> None:
        self.kit.actions.copy(self.line.text(), tr("Copied."))

    def _try(self) -> None:
        self._pressed = self.try_it.hasFocus()
        self.try_it.setEnabled(False)
        set_kind(self.answer, "muted")
        self.answer.setText(tr("Asked; the model is being loaded…"))
        token = str(self.kit.state.status.get("token") or "")
        self._sample.send(self.kit.actions.address, token, self._answered)

    def _answered(self, good: bool, text: str) -> None:
        self.try_it.setEnabled(True)
        if self._pressed:  # what is disabled gives the focus away, to "Finish later"
            self.try_it.setFocus()
        set_kind(self.answer, "good" if good else "bad")
        words = tr("It answers: %1", plain(text)) if good else tr("No answer: %1", text)
        self.answer.setText(words)


class Away(Step):
    def lay_out(self) -> None:
        self.title = tr("When it may work")
        self.says(
            tr(
                "Proving and training wait until nobody is here: no key, no mouse, no chat for "
                "ten minutes, on mains, not hot. Whoever comes back has the machine at once."
            )
        )
        self.says(tr("You sleep, usually (the wait is shorter then)"), "muted")
        self.sleep = QLineEdit()
        self.sleep.setPlaceholderText("23:00-07:00")
        self.sleep.setAccessibleName(tr("Sleep hours"))
        self.sleep.editingFinished.connect(self._set)
        self.box.addWidget(self.sleep)
        self.calendars = self.says("", "muted")
        self.box.addLayout(row(button(tr("Add a calendar…"), self._add), None))

    def look(self) -> None:
        if not self.sleep.isModified():
            self.sleep.setText(", ".join(self._value()))
        count = len(self.kit.state.value(Subject.CALENDARS).get("calendars", ()))
        words = counted(count, "%1 calendar", "%1 calendars")
        none = tr("No calendar: it can tell Lull when you are away, or needed here.")
        self.calendars.setText(words if count else none)

    def _value(self) -> list[str]:
        rows = self.kit.state.value(Subject.SETTINGS).get("settings", ())
        found = next((r["value"] for r in rows if r["key"] == "idle.sleep_hours"), ())
        return [str(one) for one in found or ()]

    def _set(self) -> None:
        if self.sleep.isModified():
            self.sleep.setModified(False)
            self.kit.state.act(
                routes.SETTINGS,
                {"key": "idle.sleep_hours", "value": self.sleep.text()},
                words=tr("Sleep hours"),
                done=tr("Set."),
                then=lambda _: self.kit.state.touch(Subject.SETTINGS),
            )

    def _add(self) -> None:
        from lull.desktop.pages.feed_dialog import FeedDialog

        dialog = FeedDialog(self.kit, self)
        dialog.added.connect(lambda: self.kit.state.touch(Subject.CALENDARS))
        dialog.open()


class Begin(Step):
    def lay_out(self) -> None:
        self.title = tr("How it starts")
        self.boxes: list[QCheckBox] = []
        autostart = Autostart.here(self.kit.place)
        if autostart is None:
            self.says(tr("This system has no way that Lull knows to start it when you log in."))
        else:
            self.says(tr("When I log in, start"), "muted")
            self._check(autostart, Part.SERVICE, tr("the service: it answers, without a window"))
            self._check(autostart, Part.ICON, tr("the icon"))
        self.box.addSpacing(GAP)
        self.keys = self.says("", "small")
        self._asked = False
        self.says(
            tr(
                "Close this window at any time: Lull goes on, and the icon brings it back. Where "
                "there is no icon, starting Lull again does."
            ),
            "muted",
        )

    def _check(self, autostart: Autostart, part: Part, words: str) -> None:
        box = QCheckBox(words)
        box.setAccessibleName(words)
        box.setChecked(autostart.is_on(part))
        box.toggled.connect(lambda on: self._turn(autostart, part, on))
        self.boxes.append(box)
        self.box.addWidget(box, 0, Qt.AlignmentFlag.AlignLeft)

    def _turn(self, autostart: Autostart, part: Part, on: bool) -> None:
        try:
            autostart.turn(part, on=on)
        except OSError as error:
            told = Told(text=tr("Not done: %1", error.strerror), good=False)
            self.kit.state.told.emit(told)

    def look(self) -> None:
        if not self._asked and self.kit.state.phase is Phase.LIVE:
            self._asked = True
            self.kit.state.get(routes.DOCTOR, self._take)

    def _take(self, answer: Answer) -> None:
        checks = answer.value.get("checks", ())
        found = next((c for c in checks if c["name"] == "keychain"), None)
        if found is not None:
            self.keys.setText(tr("Where calendar addresses are kept: %1", plain(found["text"])))
