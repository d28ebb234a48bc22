"""Card at the top of the Today page about what only the user can solve: Ollama does not answer, or
the service reports problems.
"""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.contract.problems import OLD_CONVERSATIONS
from lull.core.chat.model_name import canonical
from lull.desktop.language.words import plain, problem_text, tr, translated
from lull.desktop.service.state import Subject
from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.chat.sample import MODEL, OWN_MODELS
from lull.desktop.widgets.page import Kit, PageName
from lull.desktop.widgets.parts import Card, button, clear_layout, label, row
from lull.desktop.widgets.text.long_text import breakable


class NeedsYouCard(Card):
    """Card of the Today page that lists problems only the user can solve, and what to do about
    each; hidden while there are none.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("Needs your attention"))
        self._kit = kit
        self.ollama = QWidget()
        self.no_answer = label("", "bad", wrap=True)
        self.address = button(tr("Change the address…"), self._change_address, flat=True)
        inner = QVBoxLayout(self.ollama)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.no_answer)
        inner.addLayout(row(self.address, None))
        self.box.addWidget(self.ollama)
        self._lines = QVBoxLayout()
        self.box.addLayout(self._lines)

    def show_status(self, status: Json, *, running: bool) -> None:
        """Show the problems that the service's status reports; `running` says whether the service
        still runs.
        """
        silent = running and misses_ollama(status)
        self.ollama.setVisible(silent)
        if silent:
            self.no_answer.setText(no_answer_words(status["upstream"]))
        clear_layout(self._lines)
        problems = status.get("problems") or []
        for problem in problems:
            head = label(translated(problem, "title"), "bad")
            head.setFont(_bold(head.font()))
            self._lines.addWidget(head)
            self._lines.addWidget(label(breakable(problem_text(problem)), wrap=True))
            if problem.get("key") == OLD_CONVERSATIONS:
                move = button(tr("Move them to the trash"), self._move_to_trash)
                self._lines.addLayout(row(move, None))
        self.setVisible(silent or bool(problems))

    def _move_to_trash(self) -> None:
        state = self._kit.state
        state.act(
            routes.TRASH,
            {"do": "sweep"},
            words=tr("Moving old conversations to the trash"),
            done=tr(
                "They stay in the trash for a week; you can restore them on the Conversations page."
            ),
            then=lambda _: state.touch(Subject.STATUS, Subject.CONVERSATIONS),
        )

    def _change_address(self) -> None:
        self._kit.go(PageName.SETTINGS, title_of("upstream.address"))


def misses_ollama(status: Json) -> bool:
    """Whether Ollama does not answer although the user has used it.

    The user has used it if it answered since the service started, or if the model they chatted with
    last is not one of Lull's own.
    """
    upstream = status.get("upstream") or {}
    if not upstream or upstream.get("ok"):
        return False
    own = {canonical(name) for name in OWN_MODELS}
    model = str((status.get("policy") or {}).get("model") or MODEL)
    return upstream.get("kind") != "builtin" or canonical(model) not in own


def no_answer_words(upstream: Json) -> str:
    """Say at which address Ollama does not answer, and how to start it."""
    return tr(
        "Ollama does not answer at %1: open the Ollama app, or run “ollama serve” in a terminal.",
        plain(str(upstream.get("address", ""))),
    )


def _bold(font: QFont) -> QFont:
    font.setBold(True)
    return font
