"""Tests of the words that a search of conversations finds: marked, and scrolled to."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from lull.contract import routes
from lull.desktop.pages.chat.page import ConversationsPage
from lull.desktop.pages.chat.search_hits import hits, part_with
from lull.desktop.pages.chat.turns_view import MOST_TURNS
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_conversations_page import conversation, opened, turn
from tests.desktop.scripted import Scripted

LONG = "A line of other words.\n" * 60


def marked(page: ConversationsPage) -> list[QLabel]:
    return [one for one in page.view.findChildren(QLabel) if "background:" in one.text()]


def in_view(page: ConversationsPage, widget: QWidget, at_y: int) -> bool:
    area = page.view.viewport()
    y = widget.mapTo(area, widget.rect().topLeft()).y() + at_y
    return 0 <= y < area.height()


def test_each_word_must_be_there_and_the_last_may_go_on() -> None:
    assert hits("Die Brücke über den Fluss", "uber fl") == [(11, 15), (20, 22)]
    assert hits("rivers and a river", "river") == [(0, 5), (13, 18)]
    assert hits("rivers and lakes", "river lake") == []  # "river" must be a whole word here
    assert hits("anything", "") == [] and hits("anything", "thing") == []


def test_of_a_long_text_the_part_with_the_first_hit_is_shown() -> None:
    text = "x " * 5_000 + "needle" + " y" * 5_000
    part = part_with(text, hits(text, "needle"), 800)
    assert part.startswith("…") and part.endswith("…") and "needle" in part and len(part) == 802
    assert part_with("x " * 500, [], 800).startswith("x x")


def test_a_search_opens_a_conversation_at_the_marked_words(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 3)
    turns = [turn(n, answer=f"{LONG}Answer {n} names the Danube.\n{LONG}") for n in range(5)]
    scripted.answers[routes.CONVERSATION.format(id="conv_0")] = {
        **conversation(0),
        "turns": [turn(9, answer=LONG), *turns],
    }
    page.filter.search.setText("dan")
    on_script.until(lambda: len(marked(page)) == 5)
    first = marked(page)[0]
    assert first.text().count("<b>Dan</b>") == 1
    assert page.filter.search.hasFocus() or not page.view.hasFocus()
    # The line is in the middle of a text that is higher than the window.
    on_script.until(lambda: in_view(page, first, first.height() // 2))
    page.filter.search.clear()
    on_script.until(lambda: not marked(page))


def test_of_many_turns_those_with_the_words_are_shown(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    many = [turn(n, answer="Danube" if n == 3 else "Other") for n in range(MOST_TURNS + 20)]
    scripted.answers[routes.CONVERSATION.format(id="conv_0")] = {**conversation(0), "turns": many}
    page.filter.search.setText("danube")
    on_script.until(lambda: len(marked(page)) == 1)
    texts = [one.text() for one in page.view.findChildren(QLabel)]
    assert f"Answers 4 to {MOST_TURNS + 3} of {MOST_TURNS + 20}." in texts


def test_the_windows_own_chat_is_named_as_its_page(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    page.rows.rows[0]["client"] = "lull"
    assert "\nChat · " in page.rows.data(page.rows.index(0))
    page.filter.set_options(["lull", "zed", "lull-connect"], [])
    shown = [page.filter.client.itemText(n) for n in range(page.filter.client.count())]
    assert shown == ["All apps", "Chat", "zed", "Connection test"]
    assert on_script.desktop.window.page(PageName.CHAT).accessibleName() == "Chat"


def test_a_skill_of_an_earlier_answer_is_named_with_the_conversation(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    scripted.answers[routes.CONVERSATION.format(id="conv_0")] = {
        **conversation(0),
        "turns": [turn(0, skills=[{"name": "menu-style", "version": 1}]), turn(1)],
    }
    on_script.desktop.state.touch(*page.subjects)
    page._news = True
    page.show_content()
    on_script.until(
        lambda: any(
            "Skills that were used: Menu style." in one.text()
            for one in page.view.findChildren(QLabel)
        )
    )
