"""Tests of the digest on the Today page: what it says of answers and of work since yesterday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.pages.today.digest import digest, start_of_yesterday
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted, status

HERE = datetime(2026, 11, 24, 8, 30, tzinfo=UTC)


def day(back: int, n: int, reward: float) -> Json:
    return {"day": (HERE.date() - timedelta(days=back)).isoformat(), "n": n, "reward": reward}


def window(closed: datetime | None, used_s: float, *done: tuple[str, str]) -> Json:
    opened = (closed or HERE) - timedelta(hours=1)
    return {
        "opened": opened.isoformat(),
        "closed": closed.isoformat() if closed else None,
        "seen": HERE.isoformat(),
        "used_s": used_s,
        "done": [{"kind": kind, "text": text, "used_s": 1.0, "units": 1} for kind, text in done],
    }


def test_nothing_is_said_where_nothing_happened() -> None:
    before = window(start_of_yesterday(HERE) - timedelta(minutes=1), 60.0, ("proof", "Proving a"))
    assert digest({}, [], HERE) == []
    assert digest({"days": [day(2, 5, 1.0), day(0, 0, 0.0)]}, [before], HERE) == []
    assert digest({}, [window(HERE, 0.0)], HERE) == []


def test_conversations_that_went_into_the_trash_are_told_the_day_after() -> None:
    days = {
        start_of_yesterday(HERE).date().isoformat(): 3,
        HERE.date().isoformat(): 1,
        "2026-11-01": 9,
    }
    assert digest({}, [], HERE, trash={"days": days}) == [
        "4 old conversations were moved to the trash; you can restore them on the Conversations "
        "page for a week."
    ]
    assert digest({}, [], HERE, trash={"days": {"2026-11-01": 9}}) == []


def test_answers_of_yesterday_and_today_are_told_without_a_second_figure_of_the_past() -> None:
    """Beside today's share stands what was usual; of other days, it was another figure."""
    days = [day(3, 2, 0.5), day(2, 0, 0.0), day(1, 3, 1.0), day(0, 1, 0.0)]
    assert digest({"days": days}, [], HERE) == ["3 of 4 scored answers were good."]


def test_one_good_answer_is_told_in_the_singular() -> None:
    days = [day(3, 2, 0.5), day(1, 2, 0.5), day(0, 1, 0.0)]
    assert digest({"days": days}, [], HERE) == ["1 of 3 scored answers was good."]


def test_work_is_told_once_in_however_many_windows_it_was_done() -> None:
    windows = [
        window(start_of_yesterday(HERE) - timedelta(minutes=1), 900.0, ("exam", "Exam of old:1b")),
        window(HERE - timedelta(hours=20), 600.0, ("proof", "Proving a"), ("ready", "Weights")),
        window(HERE - timedelta(hours=4), 3_000.0, ("proof", "Proving a"), ("proof", "Proving b")),
        window(None, 60.0, ("step", "Training run run_1")),
    ]
    assert digest({}, windows, HERE) == [
        "While you were away, Lull worked for 1 h 1 min: 2 suggestions tested, 1 training run."
    ]
    cut = window(HERE, 240.0, ("exam", "Exam of small:1b"))
    cut["done"][0]["finished"] = False
    asked = {**cut, "asked": True}
    told = "1 task not finished yet."
    assert digest({}, [cut], HERE) == [f"While you were away, Lull worked for 4 min: {told}"]
    assert digest({}, [asked], HERE) == [f"At your request, Lull worked for 4 min: {told}"]
    over = window(HERE, 60.0, ("exam", "Exam of small:1b"))
    assert digest({}, [cut, over], HERE) == [
        "While you were away, Lull worked for 5 min: 1 chat model tested for its abilities."
    ]
    assert digest({}, [window(HERE, 60.0, ("ready", "Weights"))], HERE) == [
        "While you were away, Lull worked for 1 min."
    ]


def test_today_shows_it_and_hides_the_card_where_there_is_nothing(
    on_script: Shown, scripted: Scripted
) -> None:
    def words(page: TodayPage) -> str:
        return page._digest_words.text()

    scripted.answers[routes.STATUS] = status()
    page = on_script.go(PageName.TODAY)
    assert isinstance(page, TodayPage)
    on_script.until(lambda: page.showing_body)
    on_script.until(lambda: not page.digest.isVisible())
    at = datetime.now().astimezone()
    scripted.answers[routes.WINDOWS] |= {
        "windows": [window(at, 120.0, ("proof", "Proving a"))],
    }
    scripted.tell("lull")
    on_script.until(lambda: "1 suggestion tested" in words(page))
    assert page.digest.isVisible()
