"""Tests of teaching in place: what an answer should have said is asked, and becomes a skill."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from lull.contract import routes
from lull.core.skills.skill import SkillKey
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.shared.new_skill import NewSkillDialog
from lull.desktop.shared.teaching import CorrectionDialog, teach
from lull.desktop.widgets.chat.correction_box import CorrectionBox
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.page import PageName
from tests.desk import Desk
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_conversations_page import conversation, opened, turn
from tests.desktop.pages.test_other_pages import today
from tests.desktop.scripted import Scripted


def dialogs(shown: Shown) -> list[NewSkillDialog]:
    return [one for one in shown.desktop.window.findChildren(NewSkillDialog) if one.isVisible()]


def test_what_it_should_have_said_becomes_a_skill_and_undo_takes_back_that_alone(
    on_desk: Shown, desk: Desk
) -> None:
    page = on_desk.go(PageName.TODAY)
    asked = turn(1, label="bad", request="Write a menu for lunch today please.")
    dialog = teach(page.kit, asked, "editor", on_desk.desktop.window)
    assert dialog.windowTitle() == "What should it have said?"
    assert not dialog.save.isEnabled()  # what the model should do is the user's to say
    dialog.text.setPlainText("Join the dishes with bars.")
    dialog.whose.setCurrentIndex(dialog.whose.findData("editor"))
    dialog.save.click()
    key = SkillKey("editor", "write-a-menu-for")
    on_desk.until(lambda: desk.library.skills.get(key) is not None)
    on_desk.until(lambda: "Added: Write a menu for." in on_desk.told)
    desk.skill("other", "Something else.")
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: "Archived: Write a menu for." in on_desk.told)
    active = {one.key for one in desk.library.skills.values() if one.status.value == "active"}
    assert active == {SkillKey("", "other")}


def test_words_that_are_refused_are_given_back(on_desk: Shown, desk: Desk) -> None:
    desk.skill("question-1", "Something else.")
    page = on_desk.go(PageName.TODAY)
    first = teach(page.kit, turn(1), "editor", on_desk.desktop.window)
    assert first.windowTitle() == "Make a skill of this"
    first.text.setPlainText("Answer in two words.")
    first.save.click()
    on_desk.until(lambda: dialogs(on_desk) not in ([], [first]))
    (again,) = dialogs(on_desk)
    assert again.text.toPlainText() == "Answer in two words."
    again.done(0)


def test_nothing_written_is_left_without_a_question(on_script: Shown) -> None:
    page = on_script.go(PageName.TODAY)
    dialog = teach(page.kit, turn(1), "", on_script.desktop.window)
    assert dialog.whose.count() == 1  # without a known chat app there is nothing to choose
    on_script.bot.keyClick(dialog, Qt.Key.Key_Escape)
    on_script.until(lambda: not dialogs(on_script))


def test_a_bad_answer_asks_in_the_conversation(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    scripted.answers["/v1/conversations/conv_0"] = {
        **scripted.answers["/v1/conversations/conv_0"],  # type: ignore[dict-item]
        "turns": [turn(0, label="good"), turn(1, label="bad")],
    }
    page._reload()

    def offers() -> list[QPushButton]:
        made = page.view.findChildren(QPushButton)
        return [one for one in made if one.isVisible() and one.text().endswith("…")]

    wanted = ["Make a skill of this…", "Correct this…"]
    on_script.until(lambda: [one.text() for one in offers()] == wanted)
    on_script.activate()
    offers()[1].click()
    on_script.until(lambda: page.view.findChildren(MessageEdit))
    (text,) = page.view.findChildren(MessageEdit)
    on_script.until(text.hasFocus)
    assert text.accessibleName() == "Answer 2: What should it have said?"
    assert "Send" not in [one.text() for one in page.view.findChildren(QPushButton)]
    assert "Tell Lull" in [one.text() for one in page.view.findChildren(QPushButton)]
    text.setPlainText("Say it in French.")
    page.view._again()  # as when the service tells something new of the conversation
    on_script.until(lambda: len([one for one in offers() if one.text() == wanted[0]]) == 2)
    offers()[1].click()
    on_script.until(lambda: dialogs(on_script))
    (dialog,) = dialogs(on_script)
    assert dialog.description.text() == "When asked something like “Question 1?”"
    assert dialog.text.toPlainText() == "Say it in French."
    scripted.answers[routes.SKILLS_CHANGE] = {"generation": 4, "skills": []}
    dialog.save.click()
    on_script.until(lambda: scripted.posts(routes.SKILLS_CHANGE))
    assert scripted.posts(routes.SKILLS_CHANGE)[0]["body"] == "Say it in French."


def box_in(root: QWidget) -> CorrectionBox:
    (found,) = [one for one in root.findChildren(CorrectionBox) if one.isVisible()]
    return found


def test_any_answer_is_corrected_in_words(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    turns = [turn(0, label="bad"), turn(1)]
    shown = {**conversation(0), "turns": turns}
    scripted.answers["/v1/conversations/conv_0"] = shown
    page._reload()
    on_script.until(lambda: page.view.shown == shown)
    page.view.correcting.ask("turn_0")
    on_script.until(lambda: page.view.findChildren(CorrectionBox))
    asked = page.view.findChildren(CorrectionBox)[-1]
    assert not asked.tell.isEnabled()
    asked.text.setPlainText("Say it in French.")
    path = routes.TURN_CORRECT.format(id="turn_0")
    scripted.refusing[path] = {"title": "Not stored", "detail": "The disk is full.", "hint": ""}
    asked.tell.click()
    on_script.until(lambda: any("The disk is full." in one for one in on_script.told))
    asked = page.view.findChildren(CorrectionBox)[-1]
    assert asked.words == "Say it in French."  # nothing that was written is lost
    del scripted.refusing[path]
    scripted.answers[path] = {"turn": "turn_2", "conversation": "conv_0"}
    asked.tell.click()
    on_script.until(lambda: scripted.posts(path)[-1] == {"words": "Say it in French."})
    on_script.until(lambda: "Lull has your correction." in on_script.told)
    on_script.until(lambda: not page.view.findChildren(CorrectionBox))


def test_today_asks_in_place_after_a_bad_answer_and_not_after_a_good_one(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.TURN.format(id="turn_5")] = turn(5)
    scripted.answers[routes.RATE.format(id="turn_5")] = {}
    page = today(on_script, scripted, question="turn_5")
    assert isinstance(page, TodayPage)
    on_script.until(page.question.isVisible)
    assert not page.teach.isVisible()
    on_script.activate()
    page._rate("bad")
    on_script.until(page.teach.isVisible)
    assert not dialogs(on_script)
    on_script.until(page.teach.asked.text.hasFocus)
    page.teach.asked.leave.click()
    assert not page.teach.isVisible()
    page._rate("bad")
    on_script.until(page.teach.isVisible)
    page._rate("good")
    on_script.until(lambda: not page.teach.isVisible())
    page._rate("bad")
    on_script.until(page.teach.isVisible)
    page.teach.asked.text.setPlainText("Say it in French.")
    path = routes.TURN_CORRECT.format(id="turn_5")
    scripted.answers[path] = {"turn": "turn_6", "conversation": "conv_0"}
    on_script.bot.keyClick(page.teach.asked.text, Qt.Key.Key_Return)
    on_script.until(lambda: scripted.posts(path) == [{"words": "Say it in French."}])
    on_script.until(lambda: not page.teach.isVisible())
    page.teach.ask(turn(5))
    assert page.teach.asked.words == ""
    page.teach.asked.text.setPlainText("Say it in Greek.")
    page.teach.asked.skill.click()
    on_script.until(lambda: dialogs(on_script))
    assert dialogs(on_script)[0].text.toPlainText() == "Say it in Greek."


def test_the_tray_rates_first_and_asks_then(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.TURN.format(id="turn_5")] = turn(5)
    rate, correct = (one.format(id="turn_5") for one in (routes.RATE, routes.TURN_CORRECT))
    scripted.answers[rate] = {}
    scripted.answers[correct] = {"turn": "turn_6", "conversation": "conv_0"}

    def asked() -> list[CorrectionDialog]:
        return on_script.desktop.window.findChildren(CorrectionDialog)

    on_script.desktop.tray.rated.emit("turn_5", "good")
    on_script.until(lambda: scripted.posts(rate) == [{"label": "good"}])
    assert not asked()
    on_script.desktop.tray.rated.emit("turn_5", "bad")
    on_script.until(lambda: len(asked()) == 1)
    assert scripted.posts(rate)[-1] == {"label": "bad"}
    (dialog,) = asked()
    assert dialog.windowTitle() == "What should it have said?"
    box = box_in(dialog)
    box.text.setPlainText("Say it in French.")
    box.tell.click()
    on_script.until(lambda: scripted.posts(correct) == [{"words": "Say it in French."}])
    on_script.until(lambda: not asked())
