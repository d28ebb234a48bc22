"""Keeps the data about the training run in progress, with all its steps, up to date while a page is
visible.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, Phase, Subject

READ_GAP_MS: Final = 3_000
"""Milliseconds between two reads, which are needed because no event is sent for a step."""
IN_PROGRESS: Final = ("training", "waiting")
"""Statuses of a training run that makes steps, or made some and waits to continue."""


class RunFeed(QObject):
    """Reads the steps of the training run in progress every few seconds, as long as there is such a
    run and the page is visible.
    """

    changed = Signal()

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state
        self._seen = False
        self._timer = QTimer(self, interval=READ_GAP_MS)
        self._timer.timeout.connect(self._read)
        self.value: Json = {}
        """The training run in progress, with its steps as `curve`; empty if there is none."""
        state.changed.connect(self._hear)

    def set_page_visible(self, visible: bool) -> None:
        """Tell the feed whether the Learning page is visible; no data are read for a hidden
        page.
        """
        self._seen = visible
        self._hear(Subject.RUNS)

    def _hear(self, subject: str) -> None:
        if subject != Subject.RUNS:
            return
        run = self._run()
        if self._seen and run:
            if not self._timer.isActive():
                self._timer.start()
                self._read()
            return
        self._timer.stop()
        if not run and self.value:
            self._keep({})

    def _run(self) -> str:
        """Return the id of the training run in progress, or of the one that continues next; "" if
        there is none.
        """
        runs = self._state.value(Subject.RUNS).get("runs") or ()
        by_status = {str(run["status"]): str(run["id"]) for run in reversed(runs)}
        return next((by_status[one] for one in IN_PROGRESS if one in by_status), "")

    def _read(self) -> None:
        run = self._run()
        if run and self._state.phase is Phase.LIVE:
            self._state.get(routes.TRAIN_RUN.format(id=run), lambda answer: self._take(run, answer))

    def _take(self, run: str, answer: Reply) -> None:
        runs = answer.value.get("runs") if answer.ok else None
        if runs and run == self._run():
            self._keep({**runs[0], "curve": answer.value.get("curve") or []})

    def _keep(self, value: Json) -> None:
        if value != self.value:
            self.value = value
            self.changed.emit()
