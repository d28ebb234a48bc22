"""Widget to choose the model that answers when the user chats in Lull's window."""

from __future__ import annotations

from lull.core.chat.model_name import canonical
from lull.desktop.language.words import plain, tr
from lull.desktop.service.state import AppState, Subject
from lull.desktop.widgets.choice import Choice


class ChatModelChoice(Choice):
    """A list of the models on this machine, of which the user chooses one to chat with.

    Until the user does, the model `wanted` is selected, or else the model that Lull trains.
    """

    def __init__(self, state: AppState, wanted: str = "") -> None:
        super().__init__()
        self._state = state
        self._wanted = wanted
        self._names: list[str] = []
        self.setAccessibleName(tr("Model"))
        # The names come after it is first shown.
        self.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._keep)
        state.subscribe(Subject.MODELS)
        self.refresh()

    @property
    def chosen(self) -> str:
        """Return the name of the chosen model; "" while no models are known."""
        return str(self.currentData() or "")

    def refresh(self) -> None:
        """Refill the list if the models on this machine have changed."""
        there = self._state.value(Subject.MODELS)
        names = [str(one["name"]) for one in there.get("models", ())]
        wanted = self._wanted or _learning(there)
        if wanted and not any(canonical(name) == canonical(wanted) for name in names):
            names.insert(0, wanted)
        if names != self._names:
            self._names = names
            self.clear()
            for name in names:
                self.addItem(plain(name), name)
        at = next((n for n, one in enumerate(names) if canonical(one) == canonical(wanted)), 0)
        if wanted and at != self.currentIndex():
            self.setCurrentIndex(at)
        self.setEnabled(bool(names))

    def _keep(self) -> None:
        self._wanted = self.chosen


def _learning(there: dict[str, object]) -> str:
    """Return the name of the model that Lull trains: the user's choice, or with "auto" the one they
    chat with most.
    """
    auto = there.get("auto")
    return str(auto["model"] or "") if isinstance(auto, dict) else str(there.get("chosen") or "")
