"""`make screenshots`: every page, light and dark, from the real desktop in front of a played week.

The week is written down here and answered by a scripted control API, so that two runs draw the
same: only times of day differ. With a second folder, that of a week which `lull demo --home DIR`
has played, the pages are drawn from that and a real service instead. Not a test; run as
`python -m tests.desktop.screenshots [FOLDER [HOME]]`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QWidget

from lull.config.paths import Paths
from lull.contract import routes
from lull.desktop.main import Desktop
from lull.desktop.pages.chat.wipe_dialog import WipeDialog
from lull.desktop.pages.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.pages.review.compare_dialog import CompareDialog
from lull.desktop.pages.review.try_dialog import SkillToTry, TryDialog, skill_words
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.state import Phase
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import DARK, LIGHT, Theme
from tests.desktop.conftest import OneProcess, place_of
from tests.desktop.fake_tray import FakeTray
from tests.desktop.played.week import COMPARED, play
from tests.desktop.scripted import Scripted
from tests.running import RunningLull

SETTLED_S = 0.6
TRIED = SkillToTry(
    name="sign-off-mara",
    asked={"proposal": COMPARED, "sha256": ""},
    heads=("Without the skill", "With the skill"),
)
ROUNDS = 12
SIZE = (1120, 740)
EMPTY = (
    PageName.TODAY,
    PageName.REVIEW,
    PageName.SKILLS,
    PageName.LEARNING,
    PageName.SCHEDULE,
    PageName.CONVERSATIONS,
)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory(prefix="lull-") as name:
        home = Path(name) / "home"
        paths = Paths.from_environment(os.environ, "linux", home=str(home))
        paths.prepare()
        with Scripted(paths.control_socket).open() as scripted:
            play(scripted, paths.logs)
            for theme in (LIGHT, DARK):
                _pages(app, paths, theme, folder)
                _dialogs(app, paths, theme, folder)
                _states(app, paths, scripted, theme, folder)
                _first_steps(app, paths, scripted, theme, folder)


def of_demo(folder: Path, home: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    paths = Paths.from_environment(os.environ, "linux", home=str(home))
    with RunningLull.cleaned_up(paths.home) as lull:
        lull.serve()
        for theme in (LIGHT, DARK):
            _pages(app, paths, theme, folder)


def _desktop(app: QApplication, paths: Paths, theme: Theme) -> Desktop:
    place = place_of(paths, lambda: True)
    desktop = Desktop(app, place, backend=FakeTray(), theme=theme, spawn=lambda _: OneProcess())
    desktop.begin()
    desktop.window.resize(*SIZE)
    return desktop


def _pages(app: QApplication, paths: Paths, theme: Theme, folder: Path) -> None:
    desktop = _desktop(app, paths, theme)
    _until(app, lambda: desktop.state.phase is Phase.LIVE)
    for name in PageName:
        desktop.window.go(name)
        _settle(app, desktop)
        if name is PageName.LOGS:
            desktop.window.page(name).look.click()  # type: ignore[attr-defined]
            _settle(app, desktop)
        _save(desktop.window, folder / f"{name}-{theme.name}.png")
        if name is PageName.REVIEW:
            view = desktop.window.page(name).view  # type: ignore[attr-defined]
            for tab in ("side", "evidence"):
                view.show_view(tab)
                _settle(app, desktop)
                _save(desktop.window, folder / f"{name}-{tab}-{theme.name}.png")
        if name is PageName.SETTINGS:
            _more_settings(app, desktop, folder)
    desktop.end()
    desktop.window.deleteLater()


def _more_settings(app: QApplication, desktop: Desktop, folder: Path) -> None:
    """The settings unfolded, and a search in them."""
    page = desktop.window.page()
    assert isinstance(page, SettingsPage)
    page.advanced.fold.click()
    _settle(app, desktop)
    page.area.verticalScrollBar().setValue(page.advanced.y())
    _save(desktop.window, folder / f"settings-advanced-{desktop.look.theme.name}.png")
    page.advanced.fold.click()
    page.search.setText("minutes")
    _settle(app, desktop)
    _save(desktop.window, folder / f"settings-search-{desktop.look.theme.name}.png")


def _dialogs(app: QApplication, paths: Paths, theme: Theme, folder: Path) -> None:
    """What the settings ask before they delete, what they would give away, and a pair to pick."""
    desktop = _desktop(app, paths, theme)
    _until(app, lambda: desktop.state.phase is Phase.LIVE)
    desktop.window.go(PageName.SETTINGS)
    page = desktop.window.page()
    compared = {"id": COMPARED, "name": "sign-off-mara"}
    for name, make in (
        ("wipe", WipeDialog),
        ("diagnostics", DiagnosticsDialog),
        ("try", lambda kit, parent: _tried(TryDialog(kit, TRIED, parent))),
        ("compare", lambda kit, parent: CompareDialog(kit, compared, parent)),
    ):
        dialog = make(desktop.kit, page)
        dialog.show()
        _settle(app, desktop)
        _save(dialog, folder / f"{name}-{theme.name}.png")
        dialog.close()
    desktop.end()
    desktop.window.deleteLater()


def _tried(dialog: TryDialog) -> TryDialog:
    """As it stands when both answers are there."""
    dialog.request.setPlainText("Write to Mara that the delivery comes on Friday.")
    dialog.block.setPlainText(
        "<skills>\nApply each of these only where it fits the request.\n\n"
        "Sign letters to Mara with “Warm regards, Jo”.\n</skills>"
    )
    answers = {
        "without": "Hi Mara,\n\nthe delivery comes on Friday.\n\nBest,",
        "with": "Hi Mara,\n\nthe delivery comes on Friday.\n\nWarm regards, Jo",
    }
    for (side, text), names in zip(answers.items(), ([], ["sign-off-mara"]), strict=True):
        shown = dialog.answers[side]
        shown.begin()
        shown.grow(text)
        shown.end("")
        shown.skills.setText(skill_words(names))
    return dialog


def _first_steps(
    app: QApplication, paths: Paths, scripted: Scripted, theme: Theme, folder: Path
) -> None:
    played = scripted.answers[routes.STATUS]
    upstream = {**played["upstream"], "ok": False, "kind": "builtin", "version": None}
    nothing = {"turns": 0, "conversations": 0, "skills": {"active": 0, "proposals": 0}}
    scripted.answers[routes.STATUS] = {**played, **nothing, "upstream": upstream}
    desktop = _desktop(app, paths, theme)
    _until(app, lambda: desktop.state.phase is Phase.LIVE)
    steps = desktop.show_first_run()
    for number in range(len(steps.steps)):
        steps.go(number)
        _settle(app, desktop)
        _save(steps, folder / f"first-{number + 1}-{theme.name}.png")
    steps.close()
    desktop.end()
    desktop.window.deleteLater()
    scripted.answers[routes.STATUS] = played


def _states(
    app: QApplication, paths: Paths, scripted: Scripted, theme: Theme, folder: Path
) -> None:
    """Nothing yet, and the service gone."""
    played, empty = dict(scripted.answers), Scripted(paths.control_socket)
    scripted.answers.clear()
    scripted.answers.update(empty.answers)
    nothing = {"conversations": 0, "turns": 0, "skills": {"active": 0, "proposals": 0}}
    scripted.answers[routes.STATUS] = {**scripted.answers[routes.STATUS], **nothing}
    desktop = _desktop(app, paths, theme)
    _until(app, lambda: desktop.state.phase is Phase.LIVE)
    for name in EMPTY:
        desktop.window.go(name)
        _settle(app, desktop)
        _save(desktop.window, folder / f"empty-{name}-{theme.name}.png")
    scripted.down()
    _until(app, lambda: desktop.state.phase is Phase.DOWN)
    for name in (PageName.SCHEDULE, PageName.SETTINGS, PageName.LOGS):
        desktop.window.go(name)
        _settle(app, desktop)
        _save(desktop.window, folder / f"service-down-{name}-{theme.name}.png")
    scripted.up()
    desktop.end()
    desktop.window.deleteLater()
    scripted.answers.clear()
    scripted.answers.update(played)


def _save(widget: QWidget, path: Path) -> None:
    if not widget.grab().save(str(path), "PNG"):
        raise OSError(f"{path} cannot be written")


def _settle(app: QApplication, desktop: Desktop) -> None:
    until = time.monotonic() + SETTLED_S
    _until(app, lambda: time.monotonic() > until and not desktop.client.busy)
    # A layout within a layout within a scroll area comes to rest one round after the other.
    for _ in range(ROUNDS):
        app.sendPostedEvents()
        app.processEvents()


def _until(app: QApplication, holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        app.processEvents()
        time.sleep(0.01)
        if time.monotonic() > until:
            raise TimeoutError("the window does not settle")


if __name__ == "__main__":
    drawn = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/screenshots")
    if len(sys.argv) > 2:
        of_demo(drawn, Path(sys.argv[2]))
    else:
        main(drawn)
