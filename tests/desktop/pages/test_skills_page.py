"""Tests of the skills page in front of Lull's own control API."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt

from lull.contract import routes
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.skill import ChangeKind, SkillKey
from lull.core.skills.stated_skill import skill_of
from lull.desktop.language.words import count
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.skills.generations_dialog import GenerationsDialog
from lull.desktop.pages.skills.page import SkillsPage
from lull.desktop.pages.skills.skill_rows import SkillFilter, SkillRows
from lull.desktop.service.client import Reply, ReplyOutcome
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.shared.new_skill import NewSkillDialog
from lull.desktop.shared.teaching import show_flags
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tables import RowTable
from lull.service.wiring.base.stores import reading_of
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted


def opened(shown: Shown, *, with_: int) -> SkillsPage:
    page = shown.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    shown.desktop.state.touch(*page.subjects)
    shown.until(lambda: len(page.rows.rows) == with_)
    return page


def one(shown: Shown, desk: Desk) -> SkillsPage:
    desk.skill("menu-style", "Join the words with bars.")
    return opened(shown, with_=1)


def test_without_skills_the_starter_set_is_one_click_away(on_desk: Shown, desk: Desk) -> None:
    page = on_desk.go(PageName.SKILLS)
    on_desk.until(lambda: page.nothing.head.text() == "No skills yet")
    assert isinstance(page, SkillsPage)
    page._starter()
    on_desk.until(lambda: len(page.rows.rows) >= 10)
    assert page.showing_body


def test_a_skill_is_shown_with_its_text(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    assert page.view.name.text() == "Menu style"
    assert "What it says\nJoin the words with bars.\n" in page.view.text.toPlainText()
    assert "1 active" in page.count.text()


def test_a_skill_of_the_users_words_shows_these_before_what_the_model_reads(
    on_desk: Shown, desk: Desk
) -> None:
    made = skill_of("Use dashes", scope=Scope.ALL, kind_of_rule=RuleKind.PREFERENCE, asked="")
    desk.skill(made.name, made.body)
    page = opened(on_desk, with_=1)
    rule, _, read = page.view.text.toPlainText().partition("What the model reads\n")
    assert rule.startswith("What it says\n“Use dashes”\n")
    assert read == made.body


def test_no_description_is_taken_for_the_markup_of_a_tooltip(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page.rows.rows[0]["description"] = 'When <img src="/dev/zero">'
    tip = page.rows.data(page.rows.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "When &lt;img src=" in tip and "<img" not in tip


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
    on_desk.until(lambda: "Join them with dashes." in page.view.text.toPlainText())
    on_desk.until(lambda: on_desk.told)
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: desk.body() == "Join the words with bars.")


def test_the_history_reads_like_a_log_and_versions_compare(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, description=None, body="Join them with dashes."))
    page = opened(on_desk, with_=1)
    page.view.show_view("history")
    on_desk.until(lambda: "version 2, in version 2 of your library" in page.view.text.toPlainText())
    page.view.show_view("compare")
    on_desk.until(lambda: "bars" in page.view.text.toPlainText())
    assert "dashes" in page.view.text.toPlainText()


def compare(page: SkillsPage, old: int, new: int) -> None:
    """Choose two versions to compare, as a person does."""
    for box, version in ((page.view.old, old), (page.view.new, new)):
        box.setCurrentIndex(box.findData(version))
        box.activated.emit(box.currentIndex())


def test_the_comparison_shown_is_always_that_of_the_two_chosen_versions(
    on_desk: Shown, desk: Desk
) -> None:
    """Version 2 differs from 3, and 3 reads like 5: looking in any order does not mix them up."""
    desk.skill("menu-style", "Join the words with bars.")
    key = SkillKey("", "menu-style")
    for body in ("Join them with dashes.", "Join them with stars.", "A text between."):
        desk.do(desk.approve.edit(key, description=None, body=body))
    desk.do(desk.approve.edit(key, description=None, body="Join them with stars."))
    page = opened(on_desk, with_=1)
    view = page.view
    view.show_view("compare")
    on_desk.until(lambda: view.old.count() == 5)
    for old, new, seen, unseen in (
        (3, 5, "same text", "dashes"),
        (2, 5, "dashes", "between"),
        (3, 5, "same text", "dashes"),
        (4, 4, "two different versions", "dashes"),
        (1, 2, "bars", "stars"),
        (4, 5, "between", "bars"),
    ):
        compare(page, old, new)
        on_desk.until(lambda seen=seen: seen in view.text.toPlainText())
        assert unseen not in view.text.toPlainText()


def test_a_late_comparison_does_not_replace_the_one_that_was_chosen_since(
    on_desk: Shown, desk: Desk
) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    key = SkillKey("", "menu-style")
    for body in ("Join them with dashes.", "Join them with stars."):
        desk.do(desk.approve.edit(key, description=None, body=body))
    page = opened(on_desk, with_=1)
    view = page.view
    view.show_view("compare")
    on_desk.until(lambda: "stars" in view.text.toPlainText())
    compare(page, 1, 2)
    compare(page, 2, 3)
    on_desk.until(lambda: len(view._diffs) == 3 or "stars" in view.text.toPlainText())
    on_desk.until(lambda: (1, 2) in view._diffs)
    assert "stars" in view.text.toPlainText()
    assert "bars" not in view.text.toPlainText()


def test_a_comparison_that_cannot_be_made_says_why(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, description=None, body="Join them with dashes."))
    page = opened(on_desk, with_=1)
    view = page.view
    view.show_view("history")
    on_desk.until(lambda: view.old.count() == 2)
    view.old.addItem("version 9", 9)
    view.show_view("compare")
    compare(page, 9, 2)
    on_desk.until(lambda: "There is no version 9." in view.text.toPlainText())


def test_a_new_skill_is_written_by_hand(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page._new()
    dialog = page.findChildren(NewSkillDialog)[0]
    dialog.name.setText("Numbered Lísts!")
    assert not dialog.save.isEnabled()
    assert (
        "Saved as “Numbered lists”" in dialog.why.text() and "when to use it" in dialog.why.text()
    )
    dialog.description.setText("When there are lists.")
    dialog.text.setPlainText("Number them.")
    assert "missing" not in dialog.why.text()
    dialog.save.click()
    on_desk.until(lambda: desk.library.skills.get(SkillKey("", "numbered-lists")) is not None)


def test_a_new_skill_may_be_for_one_chat_app_alone(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page._new()
    (dialog,) = page.findChildren(NewSkillDialog)
    assert not dialog.whose.isVisible()  # there is no chat app to choose yet
    dialog.offer_clients(["editor", "mail", "editor"])
    assert [dialog.whose.itemData(n) for n in range(dialog.whose.count())] == ["", "editor", "mail"]
    assert dialog.whose.isVisible() and dialog.whose.currentData() == ""
    dialog.whose.setCurrentIndex(1)
    dialog.name.setText("numbers")
    dialog.description.setText("When there are lists.")
    dialog.text.setPlainText("Number them.")
    dialog.save.click()
    on_desk.until(lambda: desk.library.skills.get(SkillKey("editor", "numbers")) is not None)


def test_the_chat_apps_of_conversations_are_offered(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATION_KINDS] = {"clients": ["editor"], "models": []}
    page = on_script.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    on_script.until(lambda: page._clients == ("editor",))
    page._new()
    (dialog,) = page.findChildren(NewSkillDialog)
    assert dialog.whose.findData("editor") == 1


def test_what_was_written_is_not_dropped_without_a_word(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page._new()
    (dialog,) = page.findChildren(NewSkillDialog)
    dialog.text.setPlainText("Number them.")
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible() and dialog.asking.isVisible()
    stay = next(one for one in dialog.asking.buttons() if one.text() == "Keep writing")
    stay.click()
    assert dialog.isVisible()
    dialog.text.clear()
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Escape)
    on_desk.until(lambda: not page.findChildren(NewSkillDialog))


def test_starter_skills_can_be_imported_beside_others(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    assert page.starter.isVisible()
    page.starter.trigger()
    on_desk.until(lambda: len(desk.library.skills) > 5)


@pytest.mark.full
def test_a_row_is_hovered_as_a_whole_and_end_goes_to_the_last(on_desk: Shown, desk: Desk) -> None:
    for number in range(60):
        desk.skill(f"skill-{number:02}", "Be brief.")
    page = opened(on_desk, with_=60)
    table = page.table
    assert isinstance(table, RowTable)
    table.setFocus()
    on_desk.bot.keyClick(table, Qt.Key.Key_End)
    assert table.currentIndex().row() == page.filter.rowCount() - 1
    on_desk.bot.keyClick(table, Qt.Key.Key_Home)
    assert table.currentIndex().row() == 0
    cell = table.visualRect(page.filter.index(1, 3)).center()
    on_desk.bot.mouseMove(table.viewport(), QPoint(cell.x() - 1, cell.y()))
    on_desk.bot.mouseMove(table.viewport(), cell)
    on_desk.until(lambda: table.hovered == 1)


def test_export_and_import_go_through_a_folder(on_desk: Shown, desk: Desk, tmp_path: Path) -> None:
    page = one(on_desk, desk)
    page.take_out(tmp_path)
    on_desk.until(lambda: "1 skill exported." in on_desk.told)
    assert (tmp_path / "menu-style" / "SKILL.md").is_file()
    page.delete.click()
    on_desk.until(lambda: desk.library.get(SkillKey("", "menu-style")).status == "archived")
    page.import_folder(tmp_path)
    on_desk.until(lambda: "1 suggestion is in Review." in on_desk.told)
    assert desk.library.get(SkillKey("", "menu-style")).status == "archived"


def test_roll_back_goes_to_the_generation_before(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    page.pin.click()
    on_desk.until(lambda: desk.library.get(SkillKey("", "menu-style")).pinned)
    on_desk.until(lambda: len(page.state.value(Subject.GENERATIONS).get("history", ())) == 2)
    page.history.click()
    (dialog,) = page.findChildren(GenerationsDialog)
    assert dialog.last.text() == "Undo the last change: “Menu style” was pinned"
    dialog.last.click()
    on_desk.until(lambda: not desk.library.get(SkillKey("", "menu-style")).pinned)


def test_the_undo_of_a_change_does_not_take_back_what_came_after_it(
    on_desk: Shown, desk: Desk
) -> None:
    page = one(on_desk, desk)
    key = SkillKey("", "menu-style")
    page.pin.click()
    on_desk.until(lambda: "Pinned: Menu style" in on_desk.told)
    desk.skill("other", "Number them.")
    on_desk.desktop.state.touch(Subject.SKILLS)
    on_desk.until(lambda: len(page.rows.rows) == 2)
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: on_desk.told[-1].startswith("Something else has changed since"))
    assert desk.library.get(key).pinned
    assert desk.library.get(SkillKey("", "other")).status == "active"


def test_a_skill_that_was_edited_since_it_was_tested_is_marked(on_desk: Shown, desk: Desk) -> None:
    made = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    desk.do(desk.reviewing.decide(made.id, "approve", {"sha256": made.sha256}))
    page = opened(on_desk, with_=1)
    assert not page.view.edited.isVisible()
    assert "used 0 times" in page.view.facts.text()
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, description=None, body="Join them with dashes."))
    on_desk.desktop.state.touch(Subject.SKILLS)
    on_desk.until(page.view.edited.isVisible)
    assert page.view.edited.text() == "Edited since it was tested"
    index = page.filter.index(0, 1)
    assert page.filter.data(index) == "active, edited"
    desk.do(desk.approve.roll_back())
    on_desk.desktop.state.touch(Subject.SKILLS)
    on_desk.until(lambda: not page.view.edited.isVisible())


def test_a_skill_written_by_hand_is_not_called_edited_since_a_test(
    on_desk: Shown, desk: Desk
) -> None:
    page = one(on_desk, desk)
    key = SkillKey("", "menu-style")
    desk.do(desk.approve.edit(key, description=None, body="Join them with dashes."))
    on_desk.desktop.state.touch(Subject.SKILLS)
    on_desk.until(lambda: page.rows.rows[0]["version"] == 2)
    assert not page.view.edited.isVisible()


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
        "“Menu style” was disabled",
        "“Menu style” was pinned",
        "“Menu style” was added",
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
    alarms: list[bool] = []
    page.state.told.connect(lambda told: alarms.append(not told.good))
    page.view.verify.click()
    on_desk.until(lambda: on_desk.told)
    # It was written by hand: nothing is wrong with a proof that was never there.
    assert on_desk.told[-1] == "There is no proof. It was written by hand and has no proof."
    assert alarms == [False]


def test_the_heads_of_numbers_stand_over_them() -> None:
    rows, across = SkillRows(), Qt.Orientation.Horizontal
    rows.put([{"name": "menu-style", "client": None, "status": "active", "description": ""}])
    role = Qt.ItemDataRole.TextAlignmentRole
    heads = [rows.headerData(n, across, role) for n in range(rows.columnCount())]
    assert heads == [rows.data(rows.index(0, n), role) for n in range(rows.columnCount())]
    assert heads[-1] is not None


def test_ten_thousand_skills_are_searched_at_once(qapp: object) -> None:
    rows, chosen = SkillRows(), SkillFilter()
    chosen.setSourceModel(rows)
    made = {"description": "When.", "body": "Text.", "status": "active", "pinned": False, "uses": 1}
    rows.put([{**made, "name": f"skill-{n}", "client": None} for n in range(10_000)])
    assert chosen.rowCount() == 10_000
    chosen.look_for("skill-77 when", archived=False)
    assert chosen.rowCount() == 111


def test_who_goes_without_a_skill_is_said_on_its_page(on_desk: Shown, desk: Desk) -> None:
    page = one(on_desk, desk)
    assert page.view.measured.isHidden()  # the user wrote it
    skill = dict(page.view._skill or {})
    measured = {"by": "coin", "share": 0.02, "first_uses": 10, "pairs": 0, "better": 0, "worse": 0}
    page.view.show_skill({**skill, "measured": measured})
    said = page.view.measured.text()
    assert said.startswith("2% of new conversations, chosen at random, go without it")
    assert "first 10 conversations of each chat app" in said
    measured |= {"by": "replay", "pairs": 12, "better": 9}
    page.view.show_skill({**skill, "measured": measured})
    said = page.view.measured.text()
    assert "no conversation goes without it" in said
    assert said.endswith("Comparisons so far: 12 (better with it: 9, worse: 0).")


@pytest.mark.parametrize(("severity", "good"), [("note", True), ("warning", False)])
def test_a_note_about_what_was_typed_is_no_warning(
    on_script: Shown, severity: str, good: bool
) -> None:
    told: list[OutcomeMessage] = []
    on_script.desktop.state.told.connect(told.append)
    flag = {"kind": "link", "severity": severity, "text": "It has a link.", "quote": "x"}
    answer = Reply(outcome=ReplyOutcome.DONE, value={"flags": [flag]})
    show_flags(on_script.desktop.state, answer)
    assert [one.good for one in told] == [good]


ONE_SENTENCE = '{"kind": "sentences", "at_least": 1, "at_most": 1}'
THREE_BULLETS = '{"kind": "bullets", "at_least": 3, "at_most": 3}'


def put_in_force(desk: Desk, name: str, check: str, *, always: bool, client: str = "") -> None:
    made = desk.propose(name, body=f"Be {name}.", check=check, client=client)
    if always:
        wanted = {"sha256": made.sha256, "scope": Scope.ALL.value}
        desk.do(desk.reviewing.decide(made.id, "edit", wanted))
    now = desk.stores.proposals.get(made.id).sha256
    desk.do(desk.reviewing.decide(made.id, "approve", {"sha256": now}))


def test_skills_that_no_answer_can_keep_both_are_told_in_review_and_on_their_page(
    on_desk: Shown, desk: Desk
) -> None:
    put_in_force(desk, "short", ONE_SENTENCE, always=True)
    listed = desk.propose("listed", body="Use three bullets.", check=THREE_BULLETS)
    desk.propose("calm", body="Be calm.")
    review = on_desk.go(PageName.REVIEW)
    assert isinstance(review, ReviewPage)
    on_desk.until(lambda: len(review.rows.rows) == 2)
    told = {}
    for line in range(2):
        review._go_to(line)
        review._show_current()
        told[review.view.name.text().lower()] = review.view.cautions.text()
    assert "No answer can keep both this and “Short”" in told["listed"]
    assert "No answer" not in told["calm"]
    desk.do(desk.reviewing.decide(listed.id, "approve", {"sha256": listed.sha256}))
    page = opened(on_desk, with_=2)
    for line, name in enumerate(("listed", "short")):
        page.table.setCurrentIndex(page.table.model().index(line, 0))
        other = {"Listed": "Short", "Short": "Listed"}[page.view.name.text()]
        assert page.view.name.text() == name.capitalize()
        assert f"“{other}”" in page.view.conflicts.text() and page.view.conflicts.isVisible()
    desk.do(desk.approve.switch(SkillKey("", "short"), ChangeKind.DISABLE))
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(lambda: not page.view.conflicts.isVisible())


def test_skills_that_never_meet_contradict_nothing(on_desk: Shown, desk: Desk) -> None:
    """Two kinds of request, and two chat apps."""
    put_in_force(desk, "short", ONE_SENTENCE, always=False)
    put_in_force(desk, "listed", THREE_BULLETS, always=False)
    put_in_force(desk, "short-there", ONE_SENTENCE, always=True, client="zed")
    put_in_force(desk, "listed-here", THREE_BULLETS, always=True, client="aider")
    found = reading_of(desk.stores).skills.list(everything=True)["skills"]
    told = {one["name"]: [other["name"] for other in one["conflicts"]] for one in found}
    assert told["short-there"] == ["listed"] and told["listed-here"] == ["short"]
    assert told["short"] == ["listed-here"] and told["listed"] == ["short-there"]


def test_a_thousand_skills_are_sorted_by_a_click_and_the_chosen_one_stays_chosen(
    on_desk: Shown, desk: Desk
) -> None:
    page = one(on_desk, desk)
    skill = page.rows.rows[0]
    many = [{**skill, "name": f"skill-{n}", "uses": n * 37 % 1_000} for n in range(1_000)]
    page.rows.put(many)
    chosen = page.filter.index(page.filter.rowCount() // 2, 0)
    page.table.setCurrentIndex(chosen)
    name = chosen.data()
    asked: list[int] = []
    plain_data = page.rows.data

    def counted(index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        asked.append(role)
        return plain_data(index, role)

    page.rows.data = counted  # type: ignore[method-assign,assignment]
    page.table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    uses = [row["uses"] for row in page.rows.rows]
    assert uses == sorted(uses, reverse=True)
    assert page.filter.index(0, 2).data() == count(999)
    assert page.table.currentIndex().siblingAtColumn(0).data() == name
    assert len(asked) < 1_000, "Qt asks for every value again and again where it sorts itself"
