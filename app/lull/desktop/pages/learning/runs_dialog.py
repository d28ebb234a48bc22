"""Dialog with the details of one training run, or of two side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.pages.learning.side_by_side import Column, SideBySide
from lull.desktop.pages.learning.words import facts_of
from lull.desktop.widgets.page import Kit


class RunsDialog(SideBySide):
    """Dialog about one training run or, to compare them, about two: their inputs, their cost and
    the adapters they made.

    For each adapter it shows the verdict of the gate, the checks that an adapter must pass before
    it answers users.
    """

    def __init__(self, kit: Kit, runs: Sequence[Json], parent: QWidget) -> None:
        title = tr("A training run") if len(runs) == 1 else tr("Training runs compared")
        columns = [
            Column(name=str(run["id"]), facts=facts_of(run), adapter=run.get("adapter"))
            for run in runs
        ]
        super().__init__(kit, title, columns, parent)
