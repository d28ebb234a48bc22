"""Skills, in front of Lull's own control API."""

from __future__ import annotations

from pathlib import Path

from lull.core.skill import SkillKey
from lull.desktop.page import PageName
from lull.desktop.pages.generations_dialog import GenerationsDialog
from lull.desktop.pages.new_skill import NewSkillDialog
from lull.desktop.pages.review_dialogs import EditDialog
from lull.desktop.pages.skill_rows import SkillFilter, SkillRows
from lull.desktop.pages.skills import Skills
from lull.desktop.state import Subject
from tests.desk import Desk
from tests.desktop.conftest import Shown


def opened(shown: Shown, *, with_: int) -> Skills:
    page = shown.go(PageName.SKILLS)
    assert isinstance(page, Skills)
    shown.desktop.state.touch(*page.subjects)
    shown.until(lambda: len(page.rows.rows) == with_)
    return page


def one(shown: Shown, desk: Desk) -> Skills:
    desk.skill("menu-style", "Join the words with bars.")
    return opened(shown, with_=1)


def test_without_skills_the_starter_set_is_one_click_away(on_desk: Shown, desk: Desk) -> None:
    page = on_desk.go(PageName.SKILLS)
    on_desk.until(lambda: page.nothing.head.text() == "No skills yet")
    assert isinstance(page, Skills)
    page._starter()
    on_desk.until(lambda: len(page.rows.rows) >= 10)
    assert page.showing_body


def test_a_skill_is_shown_with_its_text(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    assert page.view.name.text() == "menu-style"
    assert page.view.text.toPlainText() == "Join the words with bars."
    assert "1 active" in page.count.text()


def test_pin_disable_enable_and_archive_are_changes(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    key = SkillKey("", "menu-style")
    page.pin.click()
    on_desk.until(lambda: desk.library.get(key).pinned)
    on_desk.until(lambda: page.pin.text() == "Unpin")
    page.disable.click()
    on_desk.until(lambda: desk.library.get(key).status == "disabled")
    on_desk.until(lambda: page.disable.text() == "Enable")
    page.disable.click()
    on_desk.until(lambda: desk.library.get(key).status == "active")
    page.delete.click()
    on_desk.until(lambda: desk.library.get(key).status == "archived")
    on_desk.until(lambda: page.filter.rowCount() == 0)
    page.archived.setChecked(True)
    assert page.filter.rowCount() == 1


def test_an_edit_is_a_version_and_undo_takes_it_back(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page.edit.click()
    dialog = page.findChildren(EditDialog)[0]
    dialog.text.setPlainText("Join them with dashes.")
    dialog.save.click()
    on_desk.until(lambda: desk.body() == "Join them with dashes.")
    on_desk.until(lambda: page.view.text.toPlainText() == "Join them with dashes.")
    on_desk.until(lambda: on_desk.told)
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: desk.body() == "Join the words with bars.")


def test_the_history_reads_like_a_log_and_versions_compare(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, description=None, body="Join them with dashes."))
    page = opened(on_desk, with_=1)
    page.view.show_view("history")
    on_desk.until(lambda: "generation 2, version 2" in page.view.text.toPlainText())
    page.view.show_view("compare")
    on_desk.until(lambda: "bars" in page.view.text.toPlainText())
    assert "dashes" in page.view.text.toPlainText()


def test_a_new_skill_is_written_by_hand(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page._new()
    dialog = page.findChildren(NewSkillDialog)[0]
    dialog.name.setText("Not A Name")
    dialog.description.setText("When there are lists.")
    dialog.text.setPlainText("Number them.")
    assert not dialog.save.isEnabled()
    dialog.name.setText("numbered-lists")
    dialog.save.click()
    on_desk.until(lambda: desk.library.skills.get(SkillKey("", "numbered-lists")) is not None)


def test_export_and_import_go_through_a_folder(on_desk: Shown, desk: Desk, tmp_path: Path) -> None:
    page = one(on_desk, desk)
    page.take_out(tmp_path)
    on_desk.until(lambda: "1 skill exported." in on_desk.told)
    assert (tmp_path / "menu-style" / "SKILL.md").is_file()
    page.delete.click()
    on_desk.until(lambda: desk.library.get(SkillKey("", "menu-style")).status == "archived")
    page.bring_in(tmp_path)
    on_desk.until(lambda: desk.library.get(SkillKey("", "menu-style")).status == "active")


def test_roll_back_goes_to_the_generation_before(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page.pin.click()
    on_desk.until(lambda: desk.library.get(SkillKey("", "menu-style")).pinned)
    page.back.click()
    on_desk.until(lambda: not desk.library.get(SkillKey("", "menu-style")).pinned)


def test_the_history_leads_back_to_any_generation_and_forth(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    key = SkillKey("", "menu-style")
    page.pin.click()
    on_desk.until(lambda: desk.library.get(key).pinned)
    page.disable.click()
    on_desk.until(lambda: desk.library.get(key).status == "disabled")
    on_desk.until(lambda: len(page.state.value(Subject.GENERATIONS).get("history", ())) == 3)
    page.history.click()
    (dialog,) = page.findChildren(GenerationsDialog)
    assert [dialog.table.item(n, 2).text() for n in range(3)] == [
        "menu-style was disabled",
        "menu-style was pinned",
        "menu-style was added",
    ]
    assert not dialog.back.isEnabled()  # it is as it stands
    dialog.table.selectRow(2)
    dialog.back.click()
    on_desk.until(lambda: not desk.library.get(key).pinned)
    assert desk.library.get(key).status == "active"
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: desk.library.get(key).pinned)


def test_a_proof_is_checked_again_from_here(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page.view.verify.click()
    on_desk.until(lambda: on_desk.told)


def test_ten_thousand_skills_are_searched_at_once(qapp: object) -> None:
    rows, chosen = SkillRows(), SkillFilter()
    chosen.setSourceModel(rows)
    made = {"description": "When.", "body": "Text.", "status": "active", "pinned": False, "uses": 1}
    rows.put([{**made, "name": f"skill-{n}", "client": None} for n in range(10_000)])
    assert chosen.rowCount() == 10_000
    chosen.look_for("skill-77 when", archived=False)
    assert chosen.rowCount() == 111
