"""One proposal whole: where it stands, what it changes (three views), what proves it, whose words
it is made of, and the turns behind it with the passages marked."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.page import Kit
from lull.desktop.pages.beside_text import BesideText
from lull.desktop.pages.diff import escaped, marked_html, side_by_side_html, unified_html
from lull.desktop.pages.proposal_rows import (
    evidence_words,
    kind_words,
    odds_words,
    status_chip,
)
from lull.desktop.parts import button, chip, empty_out, label
from lull.desktop.style import mono
from lull.desktop.tokens import GAP
from lull.desktop.words import ago, now, plain, tr

Json = dict[str, Any]
VIEWS = ("unified", "side", "rendered", "evidence")
_TURNS = (("failures", "It failed here"), ("wish", "You said here what you want"))
MOST_TURNS = 6


class ProposalView(QWidget):
    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._shown: Json | None = None
        self._turns: dict[str, Json] = {}
        self._asked: set[str] = set()
        self.view = "unified"
        self.name = label("", "head", wrap=True)
        self._chips = QHBoxLayout()
        self.description = label("", "muted", wrap=True)
        self.evidence = label("", wrap=True)
        self.odds = label("", "small", wrap=True)
        self.flags = label("", "bad", wrap=True)
        self.beside = BesideText()
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(tr("What it changes"))
        self._lay_out()
        kit.look.changed.connect(self._draw)

    def _lay_out(self) -> None:
        self._chips.setSpacing(GAP)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        box.addWidget(self.name)
        box.addLayout(self._chips)
        for one in (self.description, self.evidence, self.odds, self.flags):
            box.addWidget(one)
        box.addWidget(self.beside)
        box.addLayout(self._tabs())
        box.addWidget(self.text, 1)

    def _tabs(self) -> QHBoxLayout:
        titles = (tr("Changes"), tr("Side by side"), tr("As text"), tr("Evidence"))
        group = QButtonGroup(self)
        box = QHBoxLayout()
        box.setSpacing(GAP // 2)
        self.tabs: dict[str, Any] = {}
        for name, title in zip(VIEWS, titles, strict=True):
            made = button(title, functools.partial(self.show_view, name), flat=True)
            made.setCheckable(True)
            made.setChecked(name == self.view)
            group.addButton(made)
            box.addWidget(made)
            self.tabs[name] = made
        box.addStretch(1)
        return box

    def show_view(self, name: str) -> None:
        self.view = name
        self.tabs[name].setChecked(True)
        self._draw()

    def show_proposal(self, proposal: Json) -> None:
        if proposal == self._shown:
            return
        other = self._shown is None or self._shown["id"] != proposal["id"]
        self._shown = proposal
        self.name.setText(plain(proposal["name"]))
        self._show_chips(proposal)
        self.description.setText(plain(proposal.get("description", "")))
        self.evidence.setText(evidence_words(proposal))
        self.odds.setText(odds_words(proposal))
        self.odds.setVisible(bool(self.odds.text()))
        flags = [f"⚠ {f.get('text', '')} {_quoted(f)}".strip() for f in proposal["flags"]]
        self.beside.show_proposal(proposal)
        told = proposal["status"] in ("unproved", "quarantined", "stale")
        if proposal.get("reason") and told and not proposal.get("needs"):
            flags.insert(0, f"⚠ {proposal['reason']}")
        self.flags.setText(plain("\n".join(flags)))
        self.flags.setVisible(bool(flags))
        self._draw()
        if other:
            self.text.verticalScrollBar().setValue(0)

    def _show_chips(self, proposal: Json) -> None:
        empty_out(self._chips)
        words, kind = status_chip(proposal)
        whose = plain(proposal["client"]) if proposal.get("client") else tr("for everybody")
        shown = [chip(words, kind), chip(kind_words(proposal)), chip(whose)]
        shown.append(chip(ago(proposal.get("made"), now())))
        for one in shown:
            self._chips.addWidget(one)
        self._chips.addStretch(1)

    def _draw(self) -> None:
        proposal = self._shown
        if proposal is None:
            return
        theme = self._kit.look.theme
        self.text.setFont(mono() if self.view in ("unified", "side") else self.font())
        match self.view:
            case "unified":
                self.text.setHtml(unified_html(proposal["diff"], theme))
            case "side":
                self.text.setHtml(side_by_side_html(proposal["diff"], theme))
            case "rendered":
                self.text.document().setMarkdown(
                    _safe_markdown(str(proposal.get("body", ""))),
                )
            case "evidence":
                self._ask_for_turns(proposal)
                self.text.setHtml(self._evidence(proposal))

    # Evidence

    def _ask_for_turns(self, proposal: Json) -> None:
        for turn in _turns_of(proposal):
            if turn not in self._asked:
                self._asked.add(turn)
                self._kit.state.get(
                    routes.TURN.format(id=turn), functools.partial(self._take_turn, turn)
                )

    def _take_turn(self, turn: str, answer: Answer) -> None:
        if answer.ok:
            self._turns[turn] = answer.value
        elif answer.error.get("title") != "Not found":
            self._asked.discard(turn)  # asked again the next time it is looked at
        if self.view == "evidence":
            self._draw()

    def _evidence(self, proposal: Json) -> str:
        theme = self._kit.look.theme
        parts = [f"<h4>{escaped(tr('Where each sentence comes from'))}</h4>"]
        sources = {
            "user": tr("said by you"),
            "model": tr("written by a model"),
            "untrusted": tr("said by SOMEBODY ELSE"),
        }
        for trace in proposal.get("provenance") or ():
            colour = theme.bad if trace["source"] == "untrusted" else theme.muted
            who = sources.get(trace["source"], trace["source"])
            parts.append(
                f"<p>“{escaped(trace['sentence'])}”<br>"
                f"<span style='color:{colour}'>{escaped(who)}</span></p>"
            )
        if proposal.get("wish"):
            parts.append(f"<h4>{escaped(tr('What you want, as Lull understood it'))}</h4>")
            parts.append(f"<p>{escaped(proposal['wish'])}</p>")
        passages = [t["sentence"] for t in proposal.get("provenance") or ()]
        for kind, title in _TURNS:
            for turn in (proposal.get("turns") or {}).get(kind, [])[:MOST_TURNS]:
                parts.append(self._turn(turn, tr(title), passages))
        return "".join(parts)

    def _turn(self, turn: str, title: str, passages: list[str]) -> str:
        theme = self._kit.look.theme
        found = self._turns.get(turn)
        head = f"<h4>{escaped(title)}</h4>"
        if found is None:
            there = tr("It is no longer stored.") if turn in self._asked else tr("Loading…")
            return f"{head}<p style='color:{theme.muted}'>{escaped(there)}</p>"
        asked = marked_html(str(found.get("request", "")), passages, theme)
        answered = marked_html(str(found.get("answer", "")), passages, theme)
        who, model = escaped(tr("Asked")), escaped(tr("Answered"))
        return (
            f"{head}<p><span style='color:{theme.muted}'>{who}</span><br>{asked}</p>"
            f"<p><span style='color:{theme.muted}'>{model}</span><br>{answered}</p>"
        )


def _turns_of(proposal: Json) -> list[str]:
    turns = proposal.get("turns") or {}
    return [turn for kind, _ in _TURNS for turn in turns.get(kind, [])[:MOST_TURNS]]


def _quoted(flag: Json) -> str:
    return f"“{flag['quote']}”" if flag.get("quote") else ""


def _safe_markdown(text: str) -> str:
    """No pictures, no HTML: what is approved must not fetch or hide anything here."""
    return plain(text).replace("<", "&lt;").replace("![", "!\\[")
