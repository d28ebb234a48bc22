"""Sends the user's actions on the Learning page to Lull's service: cancel a training run, put a
LoRA adapter into use, or roll back to an earlier one.
"""

from __future__ import annotations

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.adapters.adapter import WAS_IN_FORCE
from lull.desktop.language.words import plain, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeMessage, Subject


class LearningActions:
    """Sends the Learning page's actions to Lull's service: cancel a training run, put a LoRA
    adapter into use, or roll back to an earlier one.
    """

    def __init__(self, state: AppState) -> None:
        self._state = state

    @staticmethod
    def was_in_force(adapter: Json | None) -> bool:
        """Whether an adapter has ever answered the user's requests."""
        return adapter is not None and adapter["status"] in WAS_IN_FORCE

    def cancel(self, run: Json) -> None:
        """Cancel a training run."""
        self._state.act(
            routes.TRAIN_CANCEL.format(id=run["id"]),
            {},
            words=tr("Cancelling %1", run["id"]),
            done=tr("%1 is cancelled.", run["id"]),
            then=lambda _: self._state.touch(Subject.RUNS, Subject.STATUS),
        )

    def adopt(self, adapter: Json) -> None:
        """Put a LoRA adapter into use, so that it answers the user's chats, even if it failed the
        gate (Lull's checks of new adapters).
        """
        anyway = adapter.get("accepted") is not True
        self._state.act(
            routes.ADAPTERS_PROMOTE,
            {"adapter": adapter["id"], "anyway": anyway},
            words=tr("Adopting %1", adapter["id"]),
            done=tr("%1 is in use.", adapter["id"]),
            undo=lambda: self.roll_back(""),
            then=self._moved,
        )

    def roll_back(self, to: str) -> None:
        """Have the service roll back to an earlier LoRA adapter or to the base model.

        `to` is the adapter's id, or `base` for the base model, or "" for the adapter that was in
        use before.
        """

        def tell(answer: Reply) -> None:
            name = plain(str(answer.value.get("active") or ""))
            original = tr("Rolled back to the original model.")
            self._state.told.emit(
                OutcomeMessage(text=tr("Rolled back to %1.", name) if name else original)
            )

        self._state.act(
            routes.ADAPTERS_ROLLBACK,
            {"to": to} if to else {},
            words=tr("Rolling back"),
            answered=tell,
            then=self._moved,
        )

    def _moved(self, _: bool) -> None:
        self._state.touch(Subject.ADAPTERS, Subject.STATUS, Subject.RUNS)
