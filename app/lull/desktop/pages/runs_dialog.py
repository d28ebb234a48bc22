"""One training run whole, or two side by side: what it was made of, what it cost, and what the gate
said of its adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from lull.desktop.page import Kit
from lull.desktop.pages.learning_words import facts_of
from lull.desktop.pages.side_by_side import Column, SideBySide
from lull.desktop.words import tr

Json = dict[str, Any]


class RunsDialog(SideBySide):
    def __init__(self, kit: Kit, runs: Sequence[Json], parent: QWidget) -> None:
        title = tr("A training run") if len(runs) == 1 else tr("Training runs compared")
        columns = [
            Column(name=str(run["id"]), facts=facts_of(run), adapter=run.get("adapter"))
            for run in runs
        ]
        super().__init__(kit, title, columns, parent)
