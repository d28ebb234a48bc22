"""Tests of a second start, starting at login, notifications, and texts that are shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import Qt as QtGui
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.contract import routes
from lull.desktop.language.words import ago, hover, plain, skill_title, tr
from lull.desktop.main import NOTICE_PAGES
from lull.desktop.shared.autostart import Autostart, AutostartPart
from lull.desktop.single import SingleInstance
from lull.desktop.widgets.columns import search_field
from lull.desktop.widgets.notices import Notice, NoticeKind, Notices
from lull.desktop.widgets.small_table import fill, small_table
from lull.desktop.widgets.style import sheet
from lull.desktop.widgets.text.diff import marked_html
from lull.desktop.widgets.text.elided_label import ElidedLabel
from lull.desktop.widgets.tokens import LIGHT
from tests.desktop.conftest import WAIT_MS, Shown, place_of
from tests.desktop.scripted import Scripted, learning, status


def test_a_second_start_shows_the_first_one_s_window(home: Path, qtbot: QtBot) -> None:
    place = place_of(Paths.from_environment({}, "linux", home=str(home)), lambda: True)
    first, second = SingleInstance(place), SingleInstance(place)
    assert first.become_first()
    asked: list[bool] = []
    first.asked.connect(lambda: asked.append(True))
    assert not second.become_first()
    assert second.show_first_window()
    qtbot.waitUntil(lambda: asked == [True], timeout=WAIT_MS)
    first.close()
    third = SingleInstance(place)
    assert third.become_first()
    third.close()


def autostart(platform: str, tmp_path: Path) -> Autostart:
    return Autostart(
        platform=platform,
        user=tmp_path,
        config=tmp_path / ".config",
        home=tmp_path / 'a "b" %c',
        serve=("/usr/bin/python3", "-m", "lull.cli.main", "serve"),
        icon=("/usr/bin/python3", "-m", "lull.cli.main", "open"),
    )


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("part", list(AutostartPart))
def test_starting_at_login_is_off_until_it_is_turned_on(
    tmp_path: Path, platform: str, part: AutostartPart
) -> None:
    made = autostart(platform, tmp_path)
    other = next(one for one in AutostartPart if one is not part)
    assert not made.is_on(part)
    made.set_enabled(part, on=True)
    assert made.is_on(part)
    assert not made.is_on(other)
    made.set_enabled(part, on=True)
    made.set_enabled(part, on=False)
    assert not made.is_on(part)
    assert [path for path in tmp_path.rglob("*") if path.is_file() or path.is_symlink()] == []


def test_the_unit_is_enabled_by_its_link(tmp_path: Path) -> None:
    made = autostart("linux", tmp_path)
    made.set_enabled(AutostartPart.SERVICE, on=True)
    link = tmp_path / ".config/systemd/user/default.target.wants/lull.service"
    assert link.resolve() == made.path(AutostartPart.SERVICE).resolve()
    text = link.read_text()
    assert 'ExecStart="/usr/bin/python3" "-m" "lull.cli.main" "serve"' in text
    assert '\\"b\\" %%c"' in text


def test_a_child_that_is_killed_for_memory_does_not_stop_the_service(tmp_path: Path) -> None:
    unit = autostart("linux", tmp_path).text(AutostartPart.SERVICE)
    service = unit.partition("[Service]")[2].partition("[Install]")[0]
    assert "OOMPolicy=continue" in service.splitlines(), "the trainer's end would be Lull's"


def test_at_login_only_the_icon_comes(tmp_path: Path, home: Path) -> None:
    place = place_of(Paths.from_environment({}, "linux", home=str(home)), lambda: True)
    made = Autostart.for_platform(place, platform="linux", environ={"HOME": str(tmp_path)})
    assert made is not None
    assert made.icon == ("lull", "open", "--hidden")


def test_the_agent_of_macos_is_a_property_list(tmp_path: Path) -> None:
    made = autostart("darwin", tmp_path)
    root = ElementTree.fromstring(made.text(AutostartPart.ICON))
    assert [one.text for one in root.iter("string")][:5] == ["org.lull.icon", *made.icon]


def test_elsewhere_nothing_is_offered(tmp_path: Path, home: Path) -> None:
    place = place_of(Paths.from_environment({}, "linux", home=str(home)), lambda: True)
    assert Autostart.for_platform(place, platform="win32", environ={}) is None


# Notifications


class Hearing:
    def __init__(self, shown: Shown, tmp_path: Path) -> None:
        self.heard: list[Notice] = []
        self.day = 21
        self.in_front = False
        self.preferences = QSettings(str(tmp_path / "p.ini"), QSettings.Format.IniFormat)
        self.notices = Notices(
            shown.desktop.state,
            self.preferences,
            self.heard.append,
            clock=lambda: datetime(2026, 11, self.day, 12, tzinfo=UTC),
            in_front=lambda: self.in_front,
        )


@pytest.fixture
def hearing(on_script: Shown, tmp_path: Path) -> Hearing:
    return Hearing(on_script, tmp_path)


def says(shown: Shown, scripted: Scripted, **more: object) -> None:
    scripted.answers[routes.STATUS] = status(**more)
    scripted.tell("lull")
    shown.until(lambda: shown.desktop.state.status == scripted.answers[routes.STATUS])


def proposes(shown: Shown, scripted: Scripted, *standings: str) -> None:
    """Let the service have open proposals of these standings."""
    found = [{"id": f"prop_{n}", "standing": one} for n, one in enumerate(standings)]
    scripted.answers[routes.PROPOSALS] = {"proposals": found, "faults": [], "generation": 9}
    scripted.tell("proposal")
    shown.until(lambda: shown.desktop.state.proposals == found)


def test_proposals_are_told_once_a_day(
    on_script: Shown, scripted: Scripted, hearing: Hearing
) -> None:
    for count in (1, 2, 3):
        proposes(on_script, scripted, *["proved"] * count)
    assert [one.kind for one in hearing.heard] == [NoticeKind.PROPOSALS]
    hearing.day = 22
    proposes(on_script, scripted, *["proved"] * 4)
    assert hearing.heard[-1].text == "4 suggestions are ready for you."
    assert len(hearing.heard) == 2


def test_what_is_not_proved_yet_is_not_told_and_spends_no_day(
    on_script: Shown, scripted: Scripted, hearing: Hearing
) -> None:
    proposes(on_script, scripted, "untested", "untestable", "not-better", "quarantined")
    assert hearing.heard == []
    proposes(on_script, scripted, "untested", "proved")
    assert [one.text for one in hearing.heard] == ["1 suggestion is ready for you."]


def test_nothing_is_told_of_proposals_to_somebody_who_has_the_window_before_them(
    on_script: Shown, scripted: Scripted, hearing: Hearing
) -> None:
    hearing.in_front = True
    proposes(on_script, scripted, "proved")
    assert hearing.heard == []
    hearing.in_front = False
    proposes(on_script, scripted, "proved", "proved")
    assert len(hearing.heard) == 1


def test_a_click_on_a_notice_opens_the_page_that_it_is_about(on_script: Shown) -> None:
    desktop = on_script.desktop
    for kind, page in NOTICE_PAGES.items():
        desktop._notify(Notice(kind=kind, title="T", text="t"))
        desktop.tray.noticed.emit()
        on_script.until(desktop.window.page(page).isVisible)
    assert set(NOTICE_PAGES) == set(NoticeKind)


def test_nothing_is_told_in_a_call_but_afterwards(
    on_script: Shown, scripted: Scripted, hearing: Hearing
) -> None:
    calling = learning()
    calling["gates"] = [{"name": "call", "state": "closed", "text": "A call."}]
    says(on_script, scripted, learning=calling)
    proposes(on_script, scripted, "proved")
    assert hearing.heard == []
    says(on_script, scripted, turns=5)
    assert len(hearing.heard) == 1


def test_a_kind_that_is_switched_off_is_not_told(
    on_script: Shown, scripted: Scripted, hearing: Hearing
) -> None:
    hearing.notices.want(NoticeKind.PROPOSALS, False)
    proposes(on_script, scripted, "proved")
    assert hearing.heard == []


def test_only_a_new_problem_is_told(on_script: Shown, scripted: Scripted, hearing: Hearing) -> None:
    old = {"title": "Old", "detail": "It was there before.", "hint": ""}
    new = {"title": "New", "detail": "The disk is full.", "hint": "Free some."}
    says(on_script, scripted, problems=[old])
    says(on_script, scripted, problems=[old, new])
    says(on_script, scripted, problems=[old, new], turns=9)
    assert [one.title for one in hearing.heard if one.kind is NoticeKind.NEEDS_YOU] == ["New"]


def test_passages_are_marked_where_they_stand() -> None:
    html = marked_html("Please use dashes, always.", ["use dashes", "nowhere"], LIGHT)
    assert html.count("<b>") == 1
    assert "<b>use dashes</b>" in html


def test_what_would_turn_text_around_is_shown() -> None:
    assert plain("a\u202eb\u200bc\td\n") == "a\ufffdb\ufffdc\td\n"


def test_how_long_ago_is_said_in_one_unit() -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    said = [ago((now - timedelta(minutes=m)).isoformat(), now) for m in (0, 59, 61, 1439, 2879)]
    assert said == ["just now", "59 min ago", "1 h ago", "23 h ago", "1 d ago"]


def test_values_are_put_in_once() -> None:
    assert tr("%1 and %2", "%2", "x") == "%2 and x"


IMAGE = '10:00 · <img src="/dev/zero"> <b>loud</b> &amp; &lt;i&gt;\nand a second line'


def as_shown(tip: str) -> str:
    """Return what a tooltip shows of a text: Qt takes it for HTML if its first line looks so."""
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText() if QtGui.mightBeRichText(tip) else tip


@pytest.mark.parametrize("text", [IMAGE, "a < b", "&lt;b&gt;", "a & b", "first\n<b>second", ""])
def test_a_tooltip_shows_other_people_s_words_as_they_stand(text: str) -> None:
    assert as_shown(hover(text)) == text
    assert "<img" not in hover(text)


def test_no_tooltip_of_a_stranger_s_words_reads_a_file(qtbot: QtBot) -> None:
    line, table = ElidedLabel(), small_table(["What"], "a table")
    qtbot.addWidget(line)
    qtbot.addWidget(table)
    line.setText(IMAGE)
    fill(table, [("one", [IMAGE])])
    item = table.item(0, 0)
    assert item is not None
    for tip in (line.toolTip(), item.toolTip()):
        assert as_shown(tip) == IMAGE


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("menu-style", "Menu style"),
        ("bullet-points-when-i-ask-you", "Bullet points when I ask you"),
        ("what-i", "What I"),
        ("give-units-i-e-metric", "Give units i e metric"),
        ("in-italics", "In italics"),
    ],
)
def test_a_skill_s_title_reads_like_words(name: str, title: str) -> None:
    assert skill_title(name) == title


@pytest.mark.parametrize(
    "made",
    [lambda: search_field("Search conversations", lambda: None), QComboBox, QSpinBox, QLineEdit],
)
def test_a_field_keeps_its_size_while_it_is_used(
    qtbot: QtBot, made: Callable[[], QLineEdit | QComboBox | QSpinBox]
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(sheet(LIGHT))
    field, other = made(), QPushButton()
    box = QVBoxLayout(window)
    box.addWidget(other)
    box.addWidget(field)
    window.show()
    other.setFocus()
    QApplication.processEvents()
    field.ensurePolished()
    before = field.sizeHint(), field.minimumSizeHint()
    if isinstance(field, QLineEdit):
        written = field.fontMetrics().horizontalAdvance(field.placeholderText())
        assert not field.placeholderText() or before[0].width() > written + 2 * 9
        field.setText("banana")
    field.setFocus()
    field.setStyleSheet("")
    QApplication.processEvents()
    assert field.hasFocus()
    assert (field.sizeHint(), field.minimumSizeHint()) == before
