"""Dialog with the details of one LoRA adapter, or of two side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.pages.learning.side_by_side import Column, SideBySide
from lull.desktop.pages.learning.words import adapter_facts
from lull.desktop.widgets.page import Kit


class AdaptersDialog(SideBySide):
    """Dialog about one LoRA adapter or, to compare them, about two: origin, learned skills and use.

    It also shows the verdict of the gate, the checks that an adapter must pass before it answers
    users.
    """

    def __init__(self, kit: Kit, adapters: Sequence[Json], parent: QWidget) -> None:
        title = tr("An adapter") if len(adapters) == 1 else tr("Adapters compared")
        columns = [
            Column(name=str(one["id"]), facts=adapter_facts(one), adapter=str(one["id"]))
            for one in adapters
        ]
        super().__init__(kit, title, columns, parent)

    def take_details(self, column: Column, adapter: Json) -> None:
        column.facts = adapter_facts(adapter)
