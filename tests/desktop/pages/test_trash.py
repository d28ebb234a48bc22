"""Tests of old conversations in the trash: told on the conversations page, listed and restored."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton

from lull.contract import routes
from lull.contract.json_object import Json
from lull.contract.problems import OLD_CONVERSATIONS
from lull.desktop.pages.chat.page import ConversationsPage
from lull.desktop.pages.chat.trash_dialog import MOST_SHOWN, TrashDialog
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted, status


def step(number: int, why: str = "age") -> Json:
    return {
        "id": f"{number:06}",
        "at": f"2026-11-{number:02}T10:00:00+00:00",
        "why": why,
        "conversations": number,
        "turns": 2 * number,
        "mb": 0.1,
    }


def trash(*steps: Json) -> Json:
    held = sum(one["conversations"] for one in steps)
    return {"steps": list(steps), "conversations": held, "mb": 0.1 * len(steps)}


def opened(shown: Shown, scripted: Scripted, *steps: Json) -> TrashDialog:
    scripted.answers[routes.CONVERSATIONS] = {"conversations": [], "next": None}
    scripted.answers[routes.TRASH] = trash(*steps)
    held = trash(*steps)["conversations"]
    scripted.answers[routes.STATUS] = status(trash={"conversations": held, "mb": 1, "days": {}})
    page = shown.go(PageName.CONVERSATIONS)
    assert isinstance(page, ConversationsPage)
    shown.until(page.trash.isVisible)
    assert page.trash.text() == f"{held} old conversations in the trash…"
    page.trash.click()
    (dialog,) = page.findChildren(TrashDialog)
    shown.until(dialog.all.isEnabled)
    return dialog


def lines(dialog: TrashDialog) -> list[str]:
    return [
        one.text()
        for one in dialog.findChildren(QLabel)
        if one is not dialog.words and one.isVisibleTo(dialog)
    ]


def test_what_went_is_listed_newest_first_and_restored_by_its_line(
    on_script: Shown, scripted: Scripted
) -> None:
    dialog = opened(on_script, scripted, step(3), step(5, "size"))
    on_script.until(lambda: len(lines(dialog)) == 2)  # seen only in Qt's next turn
    assert [line.split(" · ")[0] for line in lines(dialog)] == [
        "5 conversations",
        "3 conversations",
    ]
    assert lines(dialog)[0].endswith("took up too much space")
    (second,) = [
        one
        for one in dialog.findChildren(QPushButton)
        if one.accessibleName().startswith("Restore 3")
    ]
    scripted.answers[routes.TRASH] = trash(step(5))
    second.click()
    on_script.until(lambda: "The conversations are back." in on_script.told)
    assert scripted.posts(routes.TRASH) == [{"do": "restore", "step": "000003"}]
    on_script.until(lambda: len(lines(dialog)) == 1)
    scripted.answers[routes.TRASH] = trash()
    dialog.all.click()
    on_script.until(lambda: dialog.words.text() == "The trash is empty.")
    assert scripted.posts(routes.TRASH)[1] == {"do": "restore", "step": ""}
    assert not dialog.all.isEnabled()


def test_a_long_list_is_counted_and_an_empty_trash_is_not_told(
    on_script: Shown, scripted: Scripted
) -> None:
    dialog = opened(on_script, scripted, *[step(1 + n % 28) for n in range(MOST_SHOWN + 1)])
    on_script.until(lambda: len(lines(dialog)) == MOST_SHOWN + 1)
    assert lines(dialog)[-1] == "and 1 older conversation"
    dialog.close()
    page = on_script.go(PageName.CONVERSATIONS)
    assert isinstance(page, ConversationsPage)
    scripted.answers[routes.STATUS] = status(trash={"conversations": 0, "mb": 0, "days": {}})
    on_script.desktop.state.touch(*page.subjects)
    on_script.until(lambda: not page.trash.isVisible())


def test_a_service_that_cannot_list_it_is_told_in_the_dialog(
    on_script: Shown, scripted: Scripted
) -> None:
    dialog = opened(on_script, scripted, step(2))
    scripted.refusing[routes.TRASH] = {"title": "Broken", "detail": "No.", "hint": ""}
    dialog._read()
    on_script.until(lambda: "No." in dialog.words.text())


def test_many_that_wait_for_a_word_go_by_a_button_on_today(
    on_script: Shown, scripted: Scripted
) -> None:
    detail = "90 conversations are too old. So many do not go without your word."
    said = {"key": OLD_CONVERSATIONS, "title": "Waits", "detail": detail, "hint": ""}
    other = {"key": "full disk", "title": "Full", "detail": "Full.", "hint": ""}
    scripted.answers[routes.TRASH] = trash(step(3))
    scripted.answers[routes.STATUS] = status(problems=[other])
    page = on_script.go(PageName.TODAY)
    assert isinstance(page, TodayPage)

    def offered() -> list[QPushButton]:
        found = page.problems.findChildren(QPushButton)
        return [one for one in found if one.isVisible() and one.text().startswith("Move them")]

    on_script.until(page.problems.isVisible)
    assert not offered()
    scripted.answers[routes.STATUS] = status(problems=[other, said])
    on_script.desktop.state.touch(*page.subjects)
    on_script.until(offered)
    offered()[0].click()
    on_script.until(lambda: any("in the trash for a week" in told for told in on_script.told))
    assert scripted.posts(routes.TRASH) == [{"do": "sweep"}]


def test_what_a_damaged_file_keeps_back_is_said(on_script: Shown, scripted: Scripted) -> None:
    dialog = opened(on_script, scripted, step(3), step(5))
    scripted.answers[routes.TRASH] = {**trash(step(5)), "restored": 3, "damaged": ["000005"]}
    dialog.all.click()
    words = "3 conversations are back. The others are in a damaged file, which stays in the trash."
    on_script.until(lambda: words in on_script.told)
