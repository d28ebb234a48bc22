"""One skill: its text, its history like a log, two versions compared, its proof checked again."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.page import Kit
from lull.desktop.pages.changes import change_words
from lull.desktop.pages.diff import escaped, side_by_side_html
from lull.desktop.pages.skill_rows import effect_words, key_of, status_words
from lull.desktop.parts import button, label, row
from lull.desktop.tokens import GAP
from lull.desktop.words import plain, short_date, tr

Json = dict[str, Any]
VIEWS = ("text", "history", "compare")


class SkillView(QWidget):
    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._skill: Json | None = None
        self._history: list[Json] = []
        self._diff = ""
        self.view = "text"
        self.name = label("", "head", wrap=True)
        self.facts = label("", "small", wrap=True)
        self.description = label("", "muted", wrap=True)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(tr("The skill"))
        self.old, self.new = QComboBox(), QComboBox()
        self.old.setAccessibleName(tr("Compare this version"))
        self.new.setAccessibleName(tr("with this version"))
        for one in (self.old, self.new):
            one.activated.connect(self._compare)
            one.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._lay_out()
        kit.look.changed.connect(self._draw)

    def _lay_out(self) -> None:
        tabs = QHBoxLayout()
        tabs.setSpacing(GAP // 2)
        group = QButtonGroup(self)
        self.tabs: dict[str, Any] = {}
        titles = (tr("Text"), tr("History"), tr("Compare"))
        for name, title in zip(VIEWS, titles, strict=True):
            made = button(title, functools.partial(self.show_view, name), flat=True)
            made.setCheckable(True)
            made.setChecked(name == self.view)
            group.addButton(made)
            tabs.addWidget(made)
            self.tabs[name] = made
        tabs.addStretch(1)
        self.verify = button(tr("Check the proof"), self._verify, flat=True)
        tabs.addWidget(self.verify)
        self._versions = QWidget()
        versions = row(self.old, label(tr("with"), "muted"), self.new, None)
        versions.setContentsMargins(0, 0, 0, 0)
        self._versions.setLayout(versions)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        for one in (self.name, self.facts, self.description):
            box.addWidget(one)
        box.addLayout(tabs)
        box.addWidget(self._versions)
        box.addWidget(self.text, 1)
        self._versions.hide()

    def forget(self) -> None:
        """What was read of its history is out of date."""
        self._history = []

    def show_skill(self, skill: Json) -> None:
        other = self._skill is None or key_of(self._skill) != key_of(skill)
        changed = self._skill is None or self._skill != skill
        self._skill = skill
        if other or (changed and skill):
            self._history = []
            self._diff = ""
        self.name.setText(plain(skill["name"]))
        self.description.setText(plain(skill["description"]))
        whose = plain(skill["client"]) if skill.get("client") else tr("for everybody")
        facts = [
            status_words(skill),
            tr("version %1", skill["version"]),
            whose,
            tr("%1 uses", skill["uses"]),
        ]
        if skill.get("effect"):
            facts.append(tr("effect %1", effect_words(skill)))
        self.facts.setText(" · ".join(facts))
        if changed:
            self._draw()

    def show_view(self, name: str) -> None:
        self.view = name
        self.tabs[name].setChecked(True)
        self._draw()

    def _draw(self) -> None:
        skill = self._skill
        if skill is None:
            return
        self._versions.setVisible(self.view == "compare")
        if self.view == "text":
            self.text.setPlainText(plain(skill["body"]))
            return
        if not self._history:
            self._ask_for_history(skill)
            self.text.setPlainText(tr("Loading…"))
            return
        if self.view == "history":
            self.text.setHtml(self._history_html())
        elif self._diff:
            self.text.setHtml(side_by_side_html(self._diff, self._kit.look.theme))
        else:
            several = self.old.count() > 1
            self.text.setPlainText(tr("Loading…") if several else tr("There is one version only."))
            self._compare()

    # History

    def _ask_for_history(self, skill: Json) -> None:
        client, name = key_of(skill)
        then = functools.partial(self._take_history, (client, name))
        self._kit.state.get(routes.SKILLS_HISTORY, then, name=name, client=client)

    def _take_history(self, key: tuple[str, str], answer: Answer) -> None:
        if self._skill is None or key_of(self._skill) != key:
            return
        if not answer.ok:
            self.text.setPlainText(str(answer.error.get("detail", "")))
            return
        self._history = list(answer.value.get("history", ()))
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
            where = tr("generation %1, version %2", entry["generation"], entry["version"])
            lines.append(
                f"<p><b>{head}</b> <span style='color:{muted}'>{short_date(entry['at'])} · "
                f"{escaped(where)} · {str(entry['sha256'])[:12]}</span></p>"
            )
        return "".join(lines)

    # Comparing

    def _compare(self) -> None:
        skill, old, new = self._skill, self.old.currentData(), self.new.currentData()
        if skill is None or old is None or old == new:
            self._diff = ""
            return
        client, name = key_of(skill)
        then = self._take_diff
        self._kit.state.get(routes.SKILLS_DIFF, then, name=name, client=client, old=old, new=new)

    def _take_diff(self, answer: Answer) -> None:
        if answer.ok:
            self._diff = str(answer.value.get("diff", ""))
            if self.view == "compare" and self._diff:
                self.text.setHtml(side_by_side_html(self._diff, self._kit.look.theme))

    # Proof

    def _verify(self) -> None:
        if self._skill is not None:
            client, name = key_of(self._skill)
            self._kit.state.get(routes.SKILLS_VERIFY, self._take_proof, name=name, client=client)

    def _take_proof(self, answer: Answer) -> None:
        from lull.desktop.state import Told, said

        if not answer.ok:
            self._kit.state.told.emit(Told(text=said(answer), good=False))
            return
        holds = bool(answer.value.get("holds"))
        words = tr("The proof holds.") if holds else tr("The proof does not hold.")
        why = plain(str(answer.value.get("why") or ""))
        self._kit.state.told.emit(Told(text=f"{words} {why}".strip(), good=holds))
