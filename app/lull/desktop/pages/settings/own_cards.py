"""The cards of the Settings page that concern the window itself: its preferences, and the data
folder.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from lull.desktop.language.language_choice import (
    ENGLISH,
    LANGUAGE,
    LANGUAGES,
    SYSTEM,
    chosen_language,
    resolved_language,
)
from lull.desktop.language.words import tr
from lull.desktop.pages.settings.searched_card import SearchedCard
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.service.state import OutcomeMessage
from lull.desktop.shared.autostart import Autostart, AutostartPart
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.notices import NoticeKind
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import FlowLabel, button, label, row, unwrapped_row
from lull.desktop.widgets.style import TEXT_SIZE, THEME, THEMES, chosen_theme
from lull.desktop.widgets.tokens import DARK, GAP, LIGHT
from lull.desktop.widgets.wrapped_check import WrappedCheck

TEXT_SIZES: Final = (100, 125, 150, 200)
"""Text sizes that the user can choose, in percent of the usual size."""


class WindowCard(SearchedCard):
    """Card of the Settings page with the window's own preferences: theme, text size, language,
    notifications, start at login.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("This window"))
        self._kit = kit
        self._spoken = resolved_language(chosen_language(kit.preferences))
        """The language of this window, which stays until it is made anew."""
        self._line(
            tr("Theme"),
            self._themes(),
            tr("The colours of this window. “Like the system” follows the computer's appearance."),
        )
        self._line(
            tr("Text size"),
            self._text_size(),
            tr("Makes all text in this window larger; the font of other programs stays."),
        )
        self._line(
            tr("Language"),
            self._languages(),
            tr("The language of this window and its menus: English or German."),
        )
        self.box.addWidget(self._restart_line())
        self._head(
            tr("Notifications"),
            tr("Lull shows a notification only for what is ticked here."),
        )
        for kind, words in (
            (NoticeKind.PROPOSALS, tr("Skills to review, once a day")),
            (NoticeKind.NIGHT, tr("Overnight training results")),
            (NoticeKind.WAY_BACK, tr("Automatic rollbacks")),
            (NoticeKind.NEEDS_YOU, tr("Problems I need to fix")),
        ):
            key = f"notify/{kind}"
            self._check(
                words,
                bool(kit.preferences.value(key, True, type=bool)),
                functools.partial(kit.preferences.setValue, key),
            )
        self._head(
            tr("Start at login"),
            tr("Lull then starts with your computer, without opening a window."),
        )
        autostart = Autostart.for_platform(kit.place)
        if autostart is None:
            self.box.addWidget(
                label(tr("Lull can't start by itself on this system."), "small", wrap=True)
            )
            return
        for part, words in (
            (AutostartPart.SERVICE, tr("Start Lull in the background")),
            (AutostartPart.ICON, tr("Show the tray icon")),
        ):
            self._check(
                words,
                autostart.is_on(part),
                functools.partial(self._start_at_login, autostart, part),
            )

    def _line(self, name: str, editor: Choice, reason: str) -> None:
        box = QVBoxLayout()
        box.setSpacing(2)
        box.addLayout(row(FlowLabel(name), None, editor))
        box.addWidget(label(reason, "small", wrap=True))
        self.box.addLayout(box)
        editor.setAccessibleDescription(reason)

    def _head(self, name: str, reason: str) -> None:
        self.box.addSpacing(GAP)
        box = QVBoxLayout()
        box.setSpacing(2)
        box.addWidget(label(name, wrap=True))
        box.addWidget(label(reason, "small", wrap=True))
        self.box.addLayout(box)

    def _themes(self) -> Choice:
        made = self.theme = Choice()
        made.setAccessibleName(tr("Theme"))
        made.addItem(tr("Like the system"), SYSTEM)
        made.addItem(tr("Light"), LIGHT.name)
        made.addItem(tr("Dark"), DARK.name)
        chosen = chosen_theme(self._kit.preferences)
        made.setCurrentIndex(made.findData(chosen.name if chosen else SYSTEM))
        made.activated.connect(lambda _: self._wear(str(made.currentData())))
        return made

    def _wear(self, name: str) -> None:
        self._kit.preferences.setValue(THEME, name)
        self._kit.look.set_theme(THEMES.get(name))

    def _text_size(self) -> Choice:
        made = self.text_size = Choice()
        made.setAccessibleName(tr("Text size"))
        for percent in TEXT_SIZES:
            made.addItem(tr("%1%", percent), percent)
        made.setCurrentIndex(max(0, made.findData(self._kit.look.text_percent)))
        made.activated.connect(lambda _: self._size_text(int(made.currentData())))
        return made

    def _size_text(self, percent: int) -> None:
        self._kit.preferences.setValue(TEXT_SIZE, percent)
        self._kit.look.size_text(percent)

    def _languages(self) -> Choice:
        made = self.language = Choice()
        made.setAccessibleName(tr("Language"))
        made.addItem(tr("Like the system"), SYSTEM)
        for code, name in LANGUAGES.items():
            made.addItem(name, code)
        made.setCurrentIndex(max(0, made.findData(chosen_language(self._kit.preferences))))
        made.activated.connect(lambda _: self._choose_language(str(made.currentData())))
        return made

    def _restart_line(self) -> QWidget:
        """Make the line below the language that stays until the window is restarted for it."""
        self.restart = QWidget()
        self.restart_words = label("", "warn", wrap=True)
        line = unwrapped_row(
            self.restart_words, button(tr("Restart now"), self._kit.restart_window)
        )
        line.setContentsMargins(0, 0, 0, 0)
        self.restart.setLayout(line)
        self.restart.hide()
        return self.restart

    def _choose_language(self, code: str) -> None:
        self._kit.preferences.setValue(LANGUAGE, code)
        other = resolved_language(code) != self._spoken
        self.restart.setVisible(other)
        if not other:
            return
        named = {ENGLISH: tr("English"), "de": tr("German")}
        text = tr("The window is in %1 after a restart.", named.get(code, code))
        if code == SYSTEM:
            text = tr("The window is in the system's language after a restart.")
        self.restart_words.setText(text)
        again, button = self._kit.restart_window, tr("Restart now")
        self._kit.state.told.emit(OutcomeMessage(text=text, undo=again, button=button))

    def _check(self, words: str, on: bool, do: Any) -> None:
        box = WrappedCheck(words)
        box.setChecked(on)
        box.toggled.connect(do)
        self.box.addWidget(box)

    def _start_at_login(self, autostart: Autostart, part: AutostartPart, on: bool) -> None:
        try:
            autostart.set_enabled(part, on=on)
            text = tr("Starts when you log in.") if on else tr("Doesn't start by itself.")
            self._kit.state.told.emit(OutcomeMessage(text=text))
        except OSError as error:
            self._kit.state.told.emit(
                OutcomeMessage(text=tr("Not done: %1.", error.strerror), good=False)
            )


class DataCard(SearchedCard):
    """Card of the Settings page that shows where Lull's data folder is, with buttons to open the
    folder, to copy its path or to delete data.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("Data folder"))
        self._kit = kit
        home = str(kit.place.home)
        self.where = QLineEdit(home)  # a path may be wider than the page
        self.where.setReadOnly(True)
        self.where.setCursorPosition(0)
        self.where.setAccessibleName(tr("Data folder"))
        self.box.addWidget(self.where)
        self.box.addWidget(
            label(
                tr(
                    "All of Lull's data is in this folder, on this computer: the database, the "
                    "skills as text files, adapters, logs. Nothing is sent anywhere."
                ),
                "muted",
                wrap=True,
            )
        )
        self.wipe = button(tr("Delete data…"), lambda: WipeDialog(kit, self).open())
        self.box.addLayout(
            row(
                button(tr("Open the folder"), self._open_home),
                button(tr("Copy the path"), lambda: kit.actions.copy(home, tr("Copied."))),
                self.wipe,
                None,
            )
        )

    def _open_home(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._kit.place.home)))
