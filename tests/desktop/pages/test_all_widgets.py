"""Tests of every widget and text: it has a name, the keyboard reaches it, and it is translated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTableView,
    QTextEdit,
    QWidget,
)

from lull.contract import routes
from lull.desktop.language.catalogue import Catalogue
from lull.desktop.language.language_choice import ENGLISH, LANGUAGES, apply_language
from lull.desktop.language.words import set_language, tr
from lull.desktop.pages.chat.forget_dialog import ForgetDialog
from lull.desktop.pages.learning.adapters_dialog import AdaptersDialog
from lull.desktop.pages.learning.charts import ChartName, charts, titles
from lull.desktop.pages.learning.curves import Curves
from lull.desktop.pages.learning.runs_dialog import RunsDialog
from lull.desktop.pages.review.reject_dialog import RejectDialog
from lull.desktop.pages.schedule.week_bars import kind_words
from lull.desktop.pages.schedule.week_editor import WeekEditor
from lull.desktop.pages.settings.exposure import ExposureDialog, exposure_words
from lull.desktop.pages.skills.generations_dialog import GenerationsDialog
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.shared.feed_dialog import FeedDialog
from lull.desktop.shared.new_skill import NewSkillDialog
from lull.desktop.shared.try_dialog import TryDialog, skill_to_try
from lull.desktop.widgets.page import Page, PageName
from lull.desktop.widgets.switch import Switch
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown, live
from tests.desktop.pages.review.test_review_page import opened
from tests.desktop.pages.settings.test_settings_page import settings
from tests.desktop.pages.test_learning_page import LEARNED
from tests.desktop.pages.test_other_pages import adapter, learned, run, scheduled
from tests.desktop.scripted import Scripted

USED = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    Curves,
    WeekEditor,
)


def used(root: QWidget) -> list[QWidget]:
    """Return the widgets that a person can use, not the parts that Qt makes of them."""
    return [
        widget
        for widget in root.findChildren(QWidget)
        if isinstance(widget, USED)
        and not isinstance(widget.parentWidget(), (*USED, QScrollBar))
        and not widget.objectName().startswith("qt_")
        and not (widget.parentWidget() and widget.parentWidget().objectName().startswith("qt_"))
        and widget.metaObject().className() not in ("QHeaderView", "QTableCornerButton")
        and "Private" not in _class_of(widget.parentWidget())
    ]


def _class_of(widget: QWidget | None) -> str:
    """Return Qt's class name: the popup of a choice is of a private class of its own."""
    return widget.metaObject().className() if widget is not None else ""


def walk(root: QWidget) -> list[str]:
    return [
        f"{type(one).__name__} {one.accessibleName()!r}: {why}"
        for one in used(root)
        for why in _wrong(one)
    ]


def _wrong(widget: QWidget) -> Iterator[str]:
    if not widget.accessibleName().strip():
        yield f"no name, in {type(widget.parentWidget()).__name__}"
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    # Of buttons of which one is chosen Tab gets to that one, and the arrows to the others.
    together = group.buttons() if group is not None else [widget]
    if not any(one.focusPolicy() & Qt.FocusPolicy.TabFocus for one in together):
        yield "no Tab gets there"


@pytest.mark.slow
def test_everything_has_a_name_and_is_reached_by_keyboard(
    on_script: Shown, scripted: Scripted
) -> None:
    learned(on_script, scripted)
    scheduled(on_script, scripted)
    settings(on_script, scripted)
    for name in PageName:
        on_script.go(name)
    on_script.desktop.show_first_run()
    assert len(used(on_script.desktop.window)) > 50
    assert walk(on_script.desktop.window) == []


def dialogs(shown: Shown, page: Page) -> list[QDialog]:
    proposal = {"name": "menu-style", "description": "When.", "body": "Text."}
    return [
        RunsDialog(page.kit, [run(1), run(2)], page),
        AdaptersDialog(page.kit, [adapter(1, "active"), adapter(2, "candidate")], page),
        GenerationsDialog([], page),
        RejectDialog(["menu-style"], page),
        EditDialog(proposal, page),
        NewSkillDialog(page),
        ForgetDialog({"removed": {"turns": 2}}, page),
        FeedDialog(page.kit, page),
        TryDialog(page.kit, skill_to_try({"name": "menu-style"}), page),
        ExposureDialog(tr("Settings"), exposure_words("judge.allow_remote", "true"), page),
    ]


def test_every_question_that_is_asked_is_reached_by_keyboard_too(on_script: Shown) -> None:
    made = dialogs(on_script, on_script.go(PageName.TODAY))
    assert all(used(one) for one in made)
    assert [wrong for one in made for wrong in walk(one)] == []


def test_tab_goes_through_a_page_and_comes_back(on_desk: Shown, desk: Desk) -> None:
    desk.propose(replays=proved())
    opened(on_desk, with_=1)
    window = on_desk.desktop.window
    on_desk.activate()
    first = QApplication.focusWidget() or window
    seen: list[str] = []
    for _ in range(60):
        on_desk.bot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.accessibleName())
        if focused is first and len(seen) > 3:
            break
    undecided = "Approve before it is decided…  A"
    assert {"Review", "Suggestions", undecided, "Reject with a reason", "Snooze"} <= set(seen)


def test_arrows_go_from_the_shown_pages_entry_to_the_others(on_desk: Shown) -> None:
    """Tab stops only at the entry of the page that is shown, as at one of several radio buttons."""
    window = on_desk.desktop.window
    on_desk.activate()
    window.go(PageName.TODAY)
    entry = next(one for one in window.findChildren(QAbstractButton) if one.isChecked())
    entry.setFocus()
    seen = []
    for _ in range(4):
        on_desk.bot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Down)
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.accessibleName())
    assert seen == ["Review", "Skills", "Learning", "Schedule"]


def takes_the_wheel(over: QWidget, steps: int = 1) -> bool:
    """Return whether a widget keeps the wheel that is turned over it from the page around it."""
    middle = over.rect().center()
    turned = QWheelEvent(
        QPointF(middle),
        QPointF(over.mapToGlobal(middle)),
        QPoint(0, 0),
        QPoint(0, -120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    return over.event(turned) and turned.isAccepted()


@pytest.mark.slow
def test_scrolling_a_page_changes_no_choice_and_asks_nothing_of_the_service(
    on_script: Shown, scripted: Scripted
) -> None:
    learned(on_script, scripted)
    scheduled(on_script, scripted)
    settings(on_script, scripted)
    pages = [on_script.go(name) for name in PageName]
    asked = dialogs(on_script, pages[0])
    roots = [on_script.desktop.window, on_script.desktop.show_first_run(), *asked]
    choices = [one for root in roots for one in root.findChildren(QComboBox)]
    spins = [one for root in roots for one in root.findChildren(QAbstractSpinBox)]
    switches = [one for root in roots for one in root.findChildren(Switch)]
    for one in choices:
        one.setCurrentIndex(0)
    before = [one.isChecked() for one in switches]
    posted = len([asked for asked in scripted.asked if asked[0] == "POST"])
    assert len([one for one in choices if one.count() > 1]) > 8
    assert switches
    for one in (*choices, *spins, *switches):
        assert not one.focusPolicy() & Qt.FocusPolicy.WheelFocus & ~Qt.FocusPolicy.StrongFocus
        assert not takes_the_wheel(one)
    assert [one.accessibleName() for one in choices if one.currentIndex() > 0] == []
    assert [one.isChecked() for one in switches] == before
    assert spins == [], "a spin box needs the same care"
    assert len([asked for asked in scripted.asked if asked[0] == "POST"]) == posted


class Pseudo(dict[str, str]):
    """A fake translation: every text in brackets, and longer, as German is."""

    def get(self, text: str, _: object = None) -> str:  # type: ignore[override]
        return f"[{text}~~~]" if text else ""


class PseudoPairs(dict[tuple[str, str], tuple[str, str]]):
    """A fake translation of texts with a number."""

    def get(  # type: ignore[override]
        self, pair: tuple[str, str], _: object = None
    ) -> tuple[str, str]:
        return f"[{pair[0]}~~~]", f"[{pair[1]}~~~]"


@pytest.fixture
def pseudo(qapp: QApplication) -> Iterator[None]:
    set_language(
        Catalogue(texts=Pseudo(), counted=PseudoPairs(), coded=Pseudo()),
        QLocale(QLocale.Language.English),
    )
    yield
    apply_language(qapp, ENGLISH)


FIXED = {"Lull", "", "–", "✓", "✗", "!", "J, K", "A", "R", "E", "D", "?", *LANGUAGES.values()}


@pytest.mark.slow
@pytest.mark.usefixtures("pseudo")
def test_every_text_goes_through_the_translator(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home))
    scripted.answers[routes.DOCTOR] = {"checks": []}
    for name in PageName:
        shown.go(name)
    shown.desktop.show_first_run()
    texts = {
        (type(widget).__name__, widget.text())
        for widget in shown.desktop.window.findChildren(QWidget)
        if isinstance(widget, (QLabel, QAbstractButton))
    }
    assert len(texts) > 60
    said_by_the_service = [
        "You are here: last input less than 1 min ago.",
        "http",
        "qwen3",
        "adapter_4",
        "0.1.0",
        "/",
    ]
    plain = [
        text
        for _, text in texts
        if "[" not in text
        and text not in FIXED
        and not text.replace(",", "").replace(".", "").isdigit()
        and not any(word in text for word in said_by_the_service)
    ]
    gates = {gate["text"] for gate in shown.desktop.state.learning["gates"]}
    names = {gate["name"].capitalize() for gate in shown.desktop.state.learning["gates"]}
    assert [text for text in plain if text not in gates | names] == []
    choices = _choices(shown.desktop.window) - {""}
    assert [text for text in choices - FIXED if "[" not in text] == []


def _choices(root: QWidget) -> set[str]:
    """Return the entries of combo boxes and the heads of tables."""
    found = {box.itemText(n) for box in root.findChildren(QComboBox) for n in range(box.count())}
    for table in root.findChildren(QTableView):
        model, across = table.model(), Qt.Orientation.Horizontal
        found |= {str(model.headerData(n, across)) for n in range(model.columnCount())}
    assert len(found) > 25
    return found


@pytest.mark.usefixtures("pseudo")
def test_what_is_drawn_and_asked_goes_through_the_translator(on_script: Shown) -> None:
    made = charts(LEARNED, [run(1)])
    said = [series.name for chart in made.values() for series in chart.series]
    said += [head for chart in made.values() for head in chart.heads]
    said += [chart.none for chart in charts({}, []).values()]
    said += [mark.text for mark in made[ChartName.RUNS].marks]
    said += [*titles().values(), *kind_words().values()]
    for one in dialogs(on_script, on_script.go(PageName.TODAY)):
        labels = [*one.findChildren(QLabel), *one.findChildren(QAbstractButton)]
        said += [widget.text() for widget in labels]
        said.append(one.windowTitle())
    assert len(said) > 60
    assert [text for text in said if "[" not in text and text not in FIXED] == []
