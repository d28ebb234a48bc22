"""Widget that shows one skill: what a person wants to know of it, its history and a comparison of
two of its versions, in words or as a file.

It can also check again the stored test results for which the skill was accepted.
"""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import counted, plain, short_date, skill_title, tr, translated
from lull.desktop.pages.skills.skill_rows import effect_words, key_of, measured_words, status_words
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, failure_words
from lull.desktop.shared.changes import change_words
from lull.desktop.shared.skill_words import (
    conflict_words,
    fields_html,
    origin_words,
    where_words,
    words_diff,
)
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Tab, button, chip, label, row
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.text.diff import escaped, side_by_side_html
from lull.desktop.widgets.text.long_text import ScrollingText
from lull.desktop.widgets.tokens import GAP

VIEWS = ("text", "history", "compare")


class SkillView(QWidget):
    """Widget with the details of the skill that is selected on the Skills page: text, history and
    comparison of versions.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._skill: Json | None = None
        self._history: list[Json] = []
        self._about: Json = {}
        """What was read of the shown skill with its history: its file, check and origin."""
        self._asked: tuple[str, str] | None = None
        """The skill whose history is being read."""
        self._diffs: dict[tuple[int, int], Json] = {}
        """Differences that were read of the shown skill, by the two versions that are compared."""
        self.view = "text"
        self.name = label("", "head", wrap=True)
        self.facts = label("", "small", wrap=True)
        self.measured = label("", "small", wrap=True)
        self.edited = chip(tr("Edited since it was tested"), "warn")
        self.edited.hide()
        self.conflicts = label("", "warn", wrap=True)
        self.description = label("", "muted", wrap=True)
        self.text = ScrollingText()
        self.text.setAccessibleName(tr("The skill"))
        self.file = button(tr("Show the file"), self._draw, flat=True)
        self.file.setCheckable(True)
        self.old, self.new = Choice(), Choice()
        self.old.setAccessibleName(tr("Compare this version"))
        self.new.setAccessibleName(tr("with this version"))
        for one in (self.old, self.new):
            one.activated.connect(self._draw)
            one.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._lay_out()
        kit.look.changed.connect(self._draw)

    def _lay_out(self) -> None:
        tabs = Flow(gap=GAP // 2)
        group = QButtonGroup(self)
        self.tabs: dict[str, Any] = {}
        titles = (tr("The skill"), tr("History"), tr("Compare"))
        for name, title in zip(VIEWS, titles, strict=True):
            made = Tab(title, functools.partial(self.show_view, name))
            made.setChecked(name == self.view)
            group.addButton(made)
            tabs.addWidget(made)
            self.tabs[name] = made
        tabs.addWidget(self.file)
        tabs.add_stretch()
        self.verify = button(tr("Check the proof"), self._verify, flat=True)
        self._versions = QWidget()
        versions = row(self.old, label(tr("with"), "muted"), self.new, None)
        versions.setContentsMargins(0, 0, 0, 0)
        self._versions.setLayout(versions)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        for one in (self.name, self.facts, self.edited, self.conflicts, self.description):
            box.addWidget(one)
        box.addLayout(tabs)
        box.addWidget(self._versions)
        box.addWidget(self.text, 1)
        # Below the text, which must be seen in a small window, too.
        box.addWidget(self.measured)
        box.addLayout(row(self.verify, None))
        self._versions.hide()

    def drop_history(self) -> None:
        """Delete the shown skill's history from the cache because it is out of date; it is read
        again when needed.
        """
        self._history = []
        self._about = {}
        self._asked = None
        self._diffs = {}

    def show_skill(self, skill: Json) -> None:
        """Show the details of a skill."""
        other = self._skill is None or key_of(self._skill) != key_of(skill)
        changed = self._skill is None or self._skill != skill
        self._skill = skill
        if other or (changed and skill):
            self.drop_history()
        self.name.setText(skill_title(skill["name"]))
        self.description.setText(where_words(str(skill["description"])))
        whose = client_title(skill["client"]) if skill.get("client") else tr("for all chat apps")
        facts = [
            status_words(skill),
            tr("version %1", skill["version"]),
            whose,
            counted(skill["uses"], "used once", "used %1 times"),
        ]
        if skill.get("effect"):
            facts.append(effect_words(skill))
        self.facts.setText(" · ".join(facts))
        self.measured.setText(measured_words(skill))
        self.measured.setVisible(bool(self.measured.text()))
        self.edited.setVisible(bool(skill.get("edited")))
        against = conflict_words(skill)
        self.conflicts.setText(f"⚠ {against}")
        self.conflicts.setVisible(bool(against))
        if changed:
            self._draw()

    def show_view(self, name: str) -> None:
        """Switch to the tab of this name."""
        self.view = name
        self.tabs[name].setChecked(True)
        self._draw()

    def _draw(self) -> None:
        skill = self._skill
        if skill is None:
            return
        self._versions.setVisible(self.view == "compare")
        self.file.setVisible(self.view != "history")
        file = self.file.isChecked() and self.view != "history"
        self.text.setFont(mono() if file else self.font())
        if not self._history:
            self._ask_for_history(skill)
        if self.view == "text" and not file:
            said = {**skill, **self._about}
            theme = self._kit.look.theme
            self.text.setHtml(fields_html(said, theme, source=self._source()))
        elif not self._history:
            self.text.setPlainText(tr("Loading…"))
        elif self.view == "text":
            self.text.setPlainText(plain(str(self._about.get("file") or "")))
        elif self.view == "history":
            self.text.setHtml(self._history_html())
        else:
            self._show_comparison(skill)

    # History

    def _ask_for_history(self, skill: Json) -> None:
        client, name = key_of(skill)
        if self._asked == (client, name):
            return
        self._asked = client, name
        then = functools.partial(self._take_history, (client, name))
        self._kit.state.get(routes.SKILLS_HISTORY, then, name=name, client=client)

    def _take_history(self, key: tuple[str, str], answer: Reply) -> None:
        if self._skill is None or key_of(self._skill) != key:
            return
        self._asked = None
        if not answer.ok:
            if self.view != "text" or self.file.isChecked():
                self.text.setPlainText(str(answer.error.get("detail", "")))
            return
        self._history = list(answer.value.get("history", ()))
        self._about = dict(answer.value.get("about") or {})
        versions = sorted({row["version"] for row in self._history}, reverse=True)
        for one, line in ((self.new, 0), (self.old, min(1, len(versions) - 1))):
            one.clear()
            for version in versions:
                one.addItem(tr("version %1", version), version)
            one.setCurrentIndex(line)
        if self._history:
            self._draw()

    def _history_html(self) -> str:
        muted = self._kit.look.theme.muted
        lines = []
        for entry in self._history:
            head = escaped(change_words(entry))
            where = tr(
                "version %2, in version %1 of your library", entry["generation"], entry["version"]
            )
            lines.append(
                f"<p><b>{head}</b> <span style='color:{muted}'>{short_date(entry['at'])} · "
                f"{escaped(where)}</span></p>"
            )
        return "".join(lines)

    def _source(self) -> str:
        """Say where the skill's present text comes from: as which suggestion it was made, and by
        which change it came into the library; "" while its history is not read.
        """
        if not self._history:
            return ""
        version = max(int(entry["version"]) for entry in self._history)
        first = [entry for entry in self._history if entry["version"] == version][-1]
        change = tr("%1 on %2.", change_words(first), short_date(first["at"]))
        return f"{origin_words(self._about.get('origin'))} {change}".strip()

    # Comparing

    def _show_comparison(self, skill: Json) -> None:
        """Show how the two chosen versions of the skill differ; the difference is read from the
        service when first needed.
        """
        old, new = self.old.currentData(), self.new.currentData()
        if old == new:
            several = self.old.count() > 1
            same = tr("Choose two different versions to compare them.")
            self.text.setPlainText(same if several else tr("There is only one version."))
        elif (old, new) in self._diffs:
            self._show_diff(self._diffs[old, new], old, new)
        else:
            self.text.setPlainText(tr("Loading…"))
            client, name = key_of(skill)
            then = functools.partial(self._take_diff, (client, name), (old, new))
            route = routes.SKILLS_DIFF
            self._kit.state.get(route, then, name=name, client=client, old=old, new=new)

    def _show_diff(self, read: Json, old: int, new: int) -> None:
        file = str(read.get("diff") or "")
        diff = file if self.file.isChecked() else words_diff(read.get("before"), read.get("after"))
        if diff:
            self.text.setHtml(side_by_side_html(diff, self._kit.look.theme))
        elif file:
            self.text.setPlainText(tr("Only settings within its file change, none of its words."))
        else:
            self.text.setPlainText(tr("Versions %1 and %2 have the same text.", old, new))

    def _take_diff(self, key: tuple[str, str], versions: tuple[int, int], answer: Reply) -> None:
        if self._skill is None or key_of(self._skill) != key:
            return
        if answer.ok:
            self._diffs[versions] = answer.value
        chosen = (self.old.currentData(), self.new.currentData())
        if self.view != "compare" or versions != chosen:
            return
        if answer.ok:
            self._show_diff(self._diffs[versions], *versions)
        else:
            self.text.setPlainText(tr("This cannot be compared. %1", failure_words(answer)))

    # Proof

    def _verify(self) -> None:
        if self._skill is not None:
            client, name = key_of(self._skill)
            self._kit.state.get(routes.SKILLS_VERIFY, self._take_proof, name=name, client=client)

    def _take_proof(self, answer: Reply) -> None:
        if not answer.ok:
            self._kit.state.told.emit(OutcomeMessage(text=failure_words(answer), good=False))
            return
        holds = bool(answer.value.get("holds"))
        none = not answer.value.get("stored", True)
        words = tr("The proof holds.") if holds else tr("The proof does not hold.")
        if none:
            words = tr("There is no proof.")
        why = translated(answer.value, "why")
        self._kit.state.told.emit(OutcomeMessage(text=f"{words} {why}".strip(), good=holds or none))
