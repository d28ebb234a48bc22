"""Takes pictures of every page of the real window, on the week that `lull demo` plays.

`make screenshots` runs it: light and dark, in English and German, at one and at two pixels a point;
what needs an empty Lull is drawn from one. Nothing is made up: the week takes some minutes,
`--home DIR` takes one that was played already. Emoji in answers need a font that has them.
Run as `python -m tests.desktop.screenshots FOLDER [--home DIR]`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from lull.cli.demo.service import PlayedTime, SimulatedPresence
from lull.cli.demo.walk import play
from lull.config.paths import Paths
from lull.contract import routes
from lull.desktop.language.language_choice import ENGLISH, apply_language
from lull.desktop.main import Desktop
from lull.desktop.pages.review.approval_words import waits_for_picks
from lull.desktop.pages.review.compare_dialog import CompareDialog
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.service.client import Reply
from lull.desktop.service.state import Phase
from lull.desktop.shared.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.shared.try_dialog import TryDialog, skill_to_try
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import DARK, LIGHT, Theme
from tests.desktop.conftest import OneProcess, place_of
from tests.desktop.tray.fake_tray import FakeTray
from tests.running import Lull, RunningLull

SETTLED_S = 1.0
PATIENCE_S = 600.0
ROUNDS = 12
SIZE = (1120, 740)
TRIED = "Give me three ideas for a walk in the woods."
EMPTY = (
    PageName.TODAY,
    PageName.REVIEW,
    PageName.SKILLS,
    PageName.LEARNING,
    PageName.SCHEDULE,
    PageName.CONVERSATIONS,
)
THEMES = (LIGHT, DARK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, help="the folder of a week that was played already")
    parser.add_argument("--pages-alone", action="store_true", help="no dialogs, no empty Lull")
    args = parser.parse_args()
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory(prefix="lull-") as name, _week(args.home) as week:
        # The pictures name no folder and no chat app of this machine.
        os.environ["HOME"] = str(_user_home(Path(name)))
        os.environ["PATH"] = "/usr/bin:/bin"
        os.environ.pop("XDG_CONFIG_HOME", None)
        _of_the_week(app, week, args.folder, pages_alone=args.pages_alone)
        if not args.pages_alone:
            _of_an_empty_one(app, _prepared(Path(name) / "empty"), args.folder)
            twice = [args.folder / "2x", "--home", week.home, "--pages-alone"]
            subprocess.run(
                [sys.executable, "-m", "tests.desktop.screenshots", *map(str, twice)],
                env={**os.environ, "QT_SCALE_FACTOR": "2"},
                check=True,
            )


def _user_home(place: Path) -> Path:
    home = place / "ana"
    home.mkdir()
    (home / ".bashrc").write_text("# nothing yet\n")
    return home


@contextmanager
def _week(home: Path | None) -> Iterator[Paths]:
    if home is not None:
        yield _prepared(home)
        return
    with tempfile.TemporaryDirectory(prefix="lull-") as name:
        paths = _prepared(Path(name) / "home")
        paths.demo_marker.write_text("`lull demo` played a week of use here.\n")
        sys.stderr.write("The week is being played; that takes some minutes.\n")
        play(paths)
        yield paths


def _prepared(home: Path) -> Paths:
    paths = Paths.from_environment(os.environ, "linux", home=str(home))
    paths.prepare()
    return paths


def _of_the_week(app: QApplication, paths: Paths, folder: Path, *, pages_alone: bool) -> None:
    with _at_the_desk(paths):
        if not pages_alone:
            with _desktop(app, paths, LIGHT) as desktop:
                _test_what_waits(app, desktop, folder)
        for language, place in ((ENGLISH, folder), ("de", folder / "de")):
            place.mkdir(parents=True, exist_ok=True)
            apply_language(app, language)
            for theme in THEMES:
                with _desktop(app, paths, theme) as desktop:
                    _pages(app, desktop, place)
                    if not pages_alone and language == ENGLISH:
                        _dialogs(app, desktop, place)
        apply_language(app, ENGLISH)
    if not pages_alone:
        for theme in THEMES:
            with _desktop(app, paths, theme, Phase.DOWN) as desktop:
                for name in (PageName.SCHEDULE, PageName.SETTINGS, PageName.LOGS):
                    _page(app, desktop, name, folder / f"service-down-{name}-{theme.name}.png")


def _of_an_empty_one(app: QApplication, paths: Paths, folder: Path) -> None:
    with _at_the_desk(paths):
        for theme in THEMES:
            with _desktop(app, paths, theme) as desktop:
                for name in EMPTY:
                    _page(app, desktop, name, folder / f"empty-{name}-{theme.name}.png")
                steps = desktop.show_first_run()
                for number in range(len(steps.steps)):
                    steps.go(number)
                    _settle(app, desktop)
                    _save(steps, folder / f"first-{number + 1}-{theme.name}.png")
                steps.close()


@contextmanager
def _at_the_desk(paths: Paths) -> Iterator[Lull]:
    """Run a service that is told by a file that somebody is at the desk."""
    written = paths.settings.read_text() if paths.settings.exists() else None
    with (
        tempfile.TemporaryDirectory(prefix="lull-stage-") as stage,
        SimulatedPresence(Path(stage) / "signals.json", _real_time(Path(stage))) as desk,
        RunningLull.cleaned_up(paths.home) as lull,
    ):
        there = f'[service]\nport = 0\n[idle]\nsource = "file:{desk.file}"\n'
        paths.settings.write_text(there)
        try:
            lull.serve()
            yield lull
        finally:
            for service in lull.services:
                service.end()
            paths.settings.unlink() if written is None else paths.settings.write_text(written)


def _real_time(stage: Path) -> PlayedTime:
    played = PlayedTime(stage / "clock.json")
    played.set(datetime.now(UTC))
    return played


@contextmanager
def _desktop(
    app: QApplication, paths: Paths, theme: Theme, phase: Phase = Phase.LIVE
) -> Iterator[Desktop]:
    place = place_of(paths, lambda: True)
    desktop = Desktop(app, place, backend=FakeTray(), theme=theme, spawn=lambda _: OneProcess())
    desktop.begin()
    desktop.window.resize(*SIZE)
    _until(app, lambda: desktop.state.phase is phase)
    yield desktop
    desktop.end()
    desktop.window.deleteLater()


def _page(app: QApplication, desktop: Desktop, name: PageName, path: Path) -> None:
    desktop.window.go(name)
    _settle(app, desktop)
    _save(desktop.window, path)


def _pages(app: QApplication, desktop: Desktop, folder: Path) -> None:
    theme = desktop.look.theme.name
    for name in PageName:
        desktop.window.go(name)
        _settle(app, desktop)
        page = desktop.window.page(name)
        if name is PageName.LOGS:
            page.look.click()  # type: ignore[attr-defined]
            _settle(app, desktop)
        _save(desktop.window, folder / f"{name}-{theme}.png")
        if name is PageName.REVIEW:
            for tab in ("answers", "evidence"):
                page.view.show_view(tab)  # type: ignore[attr-defined]
                _settle(app, desktop)
                _save(desktop.window, folder / f"{name}-{tab}-{theme}.png")
        if name is PageName.SETTINGS:
            _more_settings(app, desktop, folder)


def _test_what_waits(app: QApplication, desktop: Desktop, folder: Path) -> None:
    """Save a picture of the suggestion that the week leaves untested, and test it."""
    folder.mkdir(parents=True, exist_ok=True)
    _page(app, desktop, PageName.REVIEW, folder / "review-untested-light.png")
    page = desktop.window.page()
    assert isinstance(page, ReviewPage)

    def tested() -> bool:
        shown = page.current()
        if shown is None:
            raise AssertionError("The suggestion was turned down, and Review's pictures show none.")
        return not shown["testing"] and shown["status"] != "screened"

    _until(app, lambda: page.prove.isEnabled() and page.prove.isVisible())
    page.prove.click()
    _until(app, tested)


def _more_settings(app: QApplication, desktop: Desktop, folder: Path) -> None:
    """Save pictures of the settings unfolded, and of a search in them."""
    page = desktop.window.page()
    assert isinstance(page, SettingsPage)
    page.advanced.fold.click()
    _settle(app, desktop)
    page.area.verticalScrollBar().setValue(page.advanced.y())
    _save(desktop.window, folder / f"settings-advanced-{desktop.look.theme.name}.png")
    page.advanced.fold.click()
    page.search.setText("minut")
    _settle(app, desktop)
    _save(desktop.window, folder / f"settings-search-{desktop.look.theme.name}.png")


def _dialogs(app: QApplication, desktop: Desktop, folder: Path) -> None:
    """Save pictures of dialogs: deleting data, diagnostics, and trying a skill.

    The dialog that compares two answers is added if a proposal waits for that.
    """
    desktop.window.go(PageName.SETTINGS)
    page = desktop.window.page()
    for name, dialog in (("wipe", WipeDialog), ("diagnostics", DiagnosticsDialog)):
        _dialog(app, desktop, dialog(desktop.kit, page), name, folder)
    for skill in _read(app, desktop, routes.SKILLS)["skills"]:
        if "bullet" in skill["name"]:
            _dialog(app, desktop, _tried(app, desktop, skill, page), "try", folder)
    for proposal in _read(app, desktop, routes.PROPOSALS)["proposals"]:
        if waits_for_picks(proposal):
            _dialog(app, desktop, CompareDialog(desktop.kit, proposal, page), "compare", folder)
            return


def _tried(
    app: QApplication, desktop: Desktop, skill: Mapping[str, Any], page: QWidget
) -> TryDialog:
    """Return the dialog for trying a skill, once both answers are there."""
    dialog = TryDialog(desktop.kit, skill_to_try(dict(skill)), page)
    dialog.request.setPlainText(TRIED)
    _until(app, dialog.go.isEnabled)
    dialog.go.click()
    _until(app, lambda: dialog.go.isEnabled() and bool(dialog.answers["with"].text.toPlainText()))
    return dialog


def _dialog(app: QApplication, desktop: Desktop, dialog: QWidget, name: str, folder: Path) -> None:
    dialog.show()
    _settle(app, desktop)
    _save(dialog, folder / f"{name}-{desktop.look.theme.name}.png")
    dialog.close()


def _read(app: QApplication, desktop: Desktop, route: str) -> Mapping[str, Any]:
    told: list[Reply] = []
    desktop.state.get(route, told.append)
    _until(app, lambda: bool(told))
    return told[0].value


def _save(widget: QWidget, path: Path) -> None:
    if not _with_a_palette(widget.grab().toImage()).save(str(path), "PNG", 0):
        raise OSError(f"{path} cannot be written")


def _with_a_palette(image: QImage) -> QImage:
    """Return the image in 256 colours, which is a third of the bytes.

    The 192 colours that are most used stay as they are, and 64 that are least like them, such as a
    small red sign; all others become the nearest of these.
    """
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    height, width = image.height(), image.width()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, image.bytesPerLine() // 4)
    colours, place, counts = np.unique(
        pixels[:, :width] & 0xFFFFFF, return_inverse=True, return_counts=True
    )
    parts, order = _rgb(colours), np.argsort(-counts)
    chosen = list(order[:192])
    away = np.min([((parts - parts[one]) ** 2).sum(axis=1) for one in chosen], axis=0)
    while len(chosen) < min(256, len(colours)):
        chosen.append(away.argmax())
        away = np.minimum(away, ((parts - parts[chosen[-1]]) ** 2).sum(axis=1))
    kept, of_kept = colours[chosen], parts[chosen]
    nearest = np.array([((of_kept - one) ** 2).sum(axis=1).argmin() for one in parts], np.uint8)
    index = np.zeros((height, -(-width // 4) * 4), np.uint8)
    index[:, :width] = nearest[place.reshape(height, width)]
    small = QImage(
        index.tobytes(), width, height, index.shape[1], QImage.Format.Format_Indexed8
    ).copy()
    small.setColorTable([0xFF000000 | int(one) for one in kept])
    return small


def _rgb(colours: Any) -> Any:
    return np.stack([(colours >> shift) & 0xFF for shift in (16, 8, 0)], axis=1).astype(np.int64)


def _settle(app: QApplication, desktop: Desktop) -> None:
    until = time.monotonic() + SETTLED_S
    _until(app, lambda: time.monotonic() > until and not desktop.client.busy)
    # A layout within a layout within a scroll area comes to rest one round after the other.
    for _ in range(ROUNDS):
        app.sendPostedEvents()
        app.processEvents()


def _until(app: QApplication, holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds():
        app.processEvents()
        time.sleep(0.01)
        if time.monotonic() > until:
            raise TimeoutError("the window does not settle")


if __name__ == "__main__":
    main()
