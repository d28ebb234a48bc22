"""Cards of the Settings page about Lull as a whole: what may leave this computer, restarting, and
what is set on other pages.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import in_english, tr
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.exposure import exposure_words
from lull.desktop.pages.settings.finding import Query, said_in
from lull.desktop.pages.settings.searched_card import SearchedCard, texts_on
from lull.desktop.shared.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.page import Kit, PageName
from lull.desktop.widgets.parts import FlowLabel, button, clear_layout, label, row
from lull.desktop.widgets.tokens import GAP


class PrivacyCard(SearchedCard):
    """Card of the Settings page that tells whether any setting lets data leave this computer or
    lets other computers reach Lull, and leads to each of these settings.
    """

    def __init__(self, show_setting: Callable[[str], object]) -> None:
        """`show_setting` is called with the name of a setting that the user wants to see."""
        super().__init__(tr("Privacy: what leaves this computer"))
        self._show_setting = show_setting
        self._open: Sequence[str] | None = None
        self.words = label("", wrap=True)
        self.box.addWidget(self.words)
        self._list = QVBoxLayout()
        self._list.setSpacing(GAP)
        self.box.addLayout(self._list)
        text = tr("What you write to a cloud model goes to its provider, with Lull or without it.")
        self.box.addWidget(label(text, "small", wrap=True))

    def show_settings(self, rows: Sequence[Json]) -> None:
        """Show which settings let something out or in; `rows` is the service's list of all."""
        given = [one for one in rows if exposure_words(one["key"], units.api_text(one["value"]))]
        keys = [str(one["key"]) for one in given]
        if keys == self._open:
            return
        self._open = keys
        none = tr(
            "None of your conversations are sent to another computer, in your network or on the "
            "internet, and no other computer can reach Lull. Before you change a setting that "
            "allows this, Lull asks you."
        )
        some = tr("These settings let data leave this computer, or let others reach Lull:")
        self.words.setText(some if keys else none)
        clear_layout(self._list)
        for key in keys:
            title = title_of(key)
            show = functools.partial(self._show_setting, title)
            name = tr("Show “%1”", title)
            self._list.addLayout(row(FlowLabel(title), button(tr("Show"), show, name=name), None))


class LullCard(SearchedCard):
    """Card of the Settings page with what can be done with Lull as a whole: restart, setup,
    diagnostics.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("Lull itself"))
        self._kit = kit
        words = tr(
            "Restarting takes a few seconds; answers in progress get a moment to finish. Setup "
            "goes through the first steps again and keeps what you have. Diagnostics is a report "
            "for whoever helps you, without your conversations."
        )
        self.box.addWidget(label(words, "muted", wrap=True))
        self.version = label("", "muted", wrap=True)
        self.box.addWidget(self.version)
        self.restart = button(tr("Restart Lull"), kit.actions.restart)
        self.setup = button(tr("Run setup again"), kit.show_first_run)
        self.diagnose = button(tr("Diagnostics…"), self._diagnose)
        self.box.addLayout(row(self.restart, self.setup, self.diagnose, None))

    def show_version(self, version: str) -> None:
        """Show which version of Lull runs; "" hides the line."""
        self.version.setText(tr("Version %1", version))
        self.version.setVisible(bool(version))

    def _diagnose(self) -> None:
        DiagnosticsDialog(self._kit, self).open()


class ElsewhereCard(SearchedCard):
    """Card of the Settings page that leads to what is set on other pages; the search finds each of
    its lines on its own.
    """

    def __init__(self, kit: Kit) -> None:
        title = tr("On other pages")
        super().__init__(title)
        self._title = said_in((title, in_english(title)))
        self.lines: dict[PageName, QWidget] = {}
        """The lines by the pages that they lead to."""
        for name, page, words in (
            (
                PageName.TODAY,
                tr("Today"),
                tr("Lull's own work: pause it, or see why it waits"),
            ),
            (
                PageName.CONNECT,
                tr("Connect"),
                tr("Chat apps: connect them to Lull, test a connection, or undo it"),
            ),
            (
                PageName.SCHEDULE,
                tr("Schedule"),
                tr("Calendars, and the hours of the week at which Lull may work"),
            ),
            (
                PageName.CONVERSATIONS,
                tr("Conversations"),
                tr("What was recorded: rate it, leave it out of learning, delete or restore it"),
            ),
            (
                PageName.SKILLS,
                tr("Skills"),
                tr("Skills: import, export, edit or remove them"),
            ),
            (
                PageName.LEARNING,
                tr("Learning"),
                tr("Training: start it, go back to an earlier adapter, export the charts"),
            ),
            (
                PageName.LOGS,
                tr("Logs"),
                tr("The log, and a check of whether everything works"),
            ),
        ):
            line = self.lines[name] = QWidget()
            box = QVBoxLayout(line)
            box.setContentsMargins(0, 0, 0, 0)
            go = button(tr("Open %1", page), functools.partial(kit.go, name))
            box.addLayout(row(FlowLabel(words), None, go))
            self.box.addWidget(line)

    def look_for(self, query: Query) -> bool:
        found = False
        for line in self.lines.values():
            fits = query.fits(self._title | said_in(texts_on(line)))
            line.setVisible(fits)
            found |= fits
        self.setVisible(found)
        return found
