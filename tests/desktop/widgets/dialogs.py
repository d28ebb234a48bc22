"""Opens every dialog of the window."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog

from lull.desktop.pages.chat.trash_dialog import TrashDialog
from lull.desktop.pages.review.approve_dialog import ApproveDialog
from lull.desktop.pages.review.compare_dialog import CompareDialog
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.running.quitting import AfterQuit, Leaving, QuitDialog
from lull.desktop.shared.connect.dialogs import ConnectDialog, UndoDialog
from lull.desktop.shared.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_all_widgets import dialogs
from tests.desktop.played.week import proposals


def asked(shown: Shown) -> list[QDialog]:
    """Open every dialog and the first run, and return them. The page owns the dialogs."""
    page = shown.go(PageName.TODAY)
    kit, state = page.kit, page.kit.state
    one, *more = proposals()
    app = {"name": "aider", "title": "aider", "known": True}
    leavings = (
        Leaving(service=AfterQuit.STOPS, returns=True, clients=[app]),
        Leaving(service=AfterQuit.GOES_ON, returns=False, closing=True),
    )
    others = [
        WipeDialog(kit, page),
        DiagnosticsDialog(kit, page),
        ApproveDialog([one, *more], page, left_out=1),
        CompareDialog(kit, one, page),
        TrashDialog(state, page),
        ConnectDialog(kit, app, page),
        UndoDialog(kit, app, page),
        *(QuitDialog(how, shown.desktop.preferences, page) for how in leavings),
    ]
    first = shown.desktop.show_first_run()
    made = [*dialogs(shown, page), *others, first]
    for one in made:
        one.show()
    return made
