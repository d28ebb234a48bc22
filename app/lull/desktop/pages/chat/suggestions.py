"""The button that leads from a conversation to the suggestion in Review that was made from it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPushButton

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.widgets.page import Kit, PageName


class SuggestionLink(QPushButton):
    """Opens the newest suggestion that was made from a conversation; hidden while there is none."""

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("Review the suggestion"))
        self.setFlat(True)
        self.setAccessibleName(self.text())
        self._kit = kit
        self._newest = ""
        self.hide()
        self.clicked.connect(lambda: kit.go(PageName.REVIEW, self._newest))

    def look_at(self, conversation: Json | None) -> None:
        """Lead to what was made from this conversation; None is no conversation."""
        turns = {str(one["id"]) for one in (conversation or {}).get("turns", ())}
        made = [one for one in self._kit.state.proposals if turns.intersection(_turns(one))]
        newest = max(made, key=lambda one: str(one.get("made") or ""), default=None)
        self._newest = str(newest["id"]) if newest else ""
        self.setVisible(bool(made))


def _turns(proposal: Json) -> Sequence[str]:
    """Return the turns whose answers or words a suggestion was made from."""
    of = proposal.get("turns") or {}
    return [*of.get("failures", ()), *of.get("wish", ())]
