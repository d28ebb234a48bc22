"""Widget to choose the model that Lull trains, used by the first-run dialog and the Settings
page.
"""

from __future__ import annotations

from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import percent, plain, problem_text, tr, translated
from lull.desktop.service.state import Subject
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.tokens import GAP

_AUTO = "auto"


class ModelChoice(QWidget):
    """Widget to choose the model that Lull trains; it also shows how far the model's weights are
    prepared for training.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._shown: list[tuple[str, bool]] = []
        self.models = Choice()
        self.models.setAccessibleName(tr("The model that learns"))
        self.models.activated.connect(self._choose)
        self.why = label("", "small", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addWidget(self.models)
        box.addWidget(self.why)

    def refresh(self) -> None:
        """Show the installed models, the chosen one and how far its weights are prepared."""
        there = self._kit.state.value(Subject.MODELS)
        models = [(str(m["name"]), bool(m["can_learn"])) for m in there.get("models", ())]
        if "auto" in there:
            models.insert(0, (_AUTO, True))
        if models != self._shown:
            self._shown = models
            self._fill(models)
        self.models.setEnabled(bool(models))
        chosen = _chosen(there)
        number = next((n for n, (name, _) in enumerate(models) if name == chosen), -1)
        if number >= 0 and not _under_way(there):
            self.models.setCurrentIndex(number)
        self.why.setText(_words(there))
        self.why.setVisible(bool(self.why.text()))

    def _fill(self, models: list[tuple[str, bool]]) -> None:
        self.models.clear()
        for number, (name, can) in enumerate(models):
            shown = tr("Automatic: the one you chat with most") if name == _AUTO else name
            self.models.addItem(shown if can else tr("%1 (cannot learn here)", name), name)
            rows = self.models.model()
            if not can and isinstance(rows, QStandardItemModel):
                rows.item(number).setEnabled(False)

    def _choose(self) -> None:
        name = str(self.models.currentData())
        if name == _chosen(self._kit.state.value(Subject.MODELS)):
            return
        self._kit.state.act(
            routes.MODELS_CHOOSE,
            {"name": name},
            words=tr("Choosing %1", name),
            done=tr("Lull chooses.")
            if name == _AUTO
            else tr("%1 is being made ready; your chats go on meanwhile.", name),
            then=lambda _: self._kit.state.touch(Subject.MODELS),
        )


def _chosen(there: Json) -> str:
    return _AUTO if there.get("auto") else str(there.get("chosen", ""))


def _under_way(there: Json) -> bool:
    choosing = there.get("choosing") or {}
    return bool(choosing) and choosing.get("stage") not in ("ready", "failed")


def _words(there: Json) -> str:
    choosing = there.get("choosing") or {}
    if choosing.get("error"):
        error = choosing["error"]
        return problem_text(error)
    if _under_way(there):
        share = percent(float(choosing.get("progress") or 0))
        return tr("%1 is being made ready: %2", plain(str(choosing.get("name"))), share)
    if choosing.get("restart_needed"):
        return tr("%1 will learn once the service has restarted.", plain(str(choosing.get("name"))))
    if auto := there.get("auto"):
        return plain(f"{auto['model']}: {translated(auto, 'why')}")
    unable = [m for m in there.get("models", ()) if not m["can_learn"]]
    return "\n".join(f"{plain(m['name'])}: {translated(m, 'why_not')}" for m in unable[:3])
