"""Tests of `lull read` and its control route: what was heard, and what a new reading changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from lull.cli.feedback.read import again_words, list_words
from lull.core.errors import UsageError
from lull.core.feedback.feedback import Feedback, MessageFindings, RuleKind, Scope
from lull.service.feedback.hearing import FeedbackRequests
from lull.service.feedback.views import listed_view, reread_view

LASTS = MessageFindings(
    correction=0.9,
    lasting=0.8,
    scope=Scope.ALL,
    scope_p=0.9,
    quote=("Never use emojis.",),
    kind_of_rule=RuleKind.PREFERENCE,
    check="no_emoji",
)
OLD = Feedback(
    turn="t2",
    before="t1",
    read_by="small-old",
    read_at=datetime(2026, 11, 22, tzinfo=UTC),
    findings=MessageFindings(correction=0.2, lasting=0.3),
)
NEW = replace(OLD, read_by="small-new", findings=LASTS)


def test_the_view_is_what_cli_md_says() -> None:
    (one,) = listed_view([NEW], waiting=0)["feedback"]
    wanted = {"turn", "correction", "lasting", "scope", "quote", "kind_of_rule", "read_by"}
    assert wanted <= set(one)
    assert (one["scope"], one["kind_of_rule"]) == ("all", "preference")
    assert json.loads(json.dumps(one)) == one


def test_words_for_people_quote_the_user_and_say_who_read() -> None:
    text = list_words(listed_view([NEW, OLD], waiting=2, following=True))
    assert "correction 90%, lasting 80%: preference for every request  (small-new)" in text
    assert "“Never use emojis.”" in text
    assert "nothing to learn from  (small-old)" in text
    assert "More: --after t2" in text
    assert "2 messages not read yet." in text
    assert list_words(listed_view([], waiting=0)) == "Nothing was read yet."


def test_what_was_read_anew_shows_what_changed() -> None:
    text = again_words(reread_view([(OLD, NEW), (NEW, NEW), (None, NEW)], waiting=0))
    assert "was: nothing to learn from (small-old)" in text
    assert "as small-new did" in text


@dataclass
class Rows:
    """A stand-in for the store's feedback: a few rows, newest first."""

    read: list[Feedback]
    counted: list[Feedback] = field(default_factory=list)

    def newest(self, *, limit: int, after: str = "") -> list[Feedback]:
        return [one for one in self.read if not after or one.turn < after][:limit]

    def of_conversation(self, _: str) -> list[Feedback]:
        return self.read[::-1]

    def count_waiting(self) -> int:
        return 0


@dataclass(frozen=True)
class Anew:
    before: Feedback | None
    now: Feedback


class Hears:
    def __init__(self, fresh: Sequence[Feedback] = ()) -> None:
        self.fresh = [list(fresh)] if fresh else []

    async def step(self, *, hurry: bool) -> list[Feedback]:
        assert hurry
        return self.fresh.pop() if self.fresh else []

    async def read_again(self, feedbacks: Sequence[Feedback]) -> list[Anew]:
        return [Anew(one, NEW) for one in feedbacks if one.read_by != NEW.read_by]


def hearing(rows: Rows, hears: Hears) -> FeedbackRequests:
    async def count(read: Sequence[Feedback]) -> None:
        rows.counted += read

    return FeedbackRequests(rows, hears, count=count)  # type: ignore[arg-type]


async def test_again_reads_what_waits_and_what_another_had_read() -> None:
    fresh = replace(NEW, turn="t9")
    rows = Rows([OLD])
    found = await hearing(rows, Hears([fresh])).reread({"again": True})
    assert sorted(one.turn for one in rows.counted) == ["t2", "t9"]
    assert [(one["turn"], one["was"] is None) for one in found["feedback"]] == [
        ("t9", True),
        ("t2", False),
    ]


@pytest.mark.parametrize("wanted", [{}, {"again": False}, {"again": True, "conversation": 4}])
async def test_a_wish_that_is_none_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        await hearing(Rows([]), Hears()).reread(wanted)


def test_a_page_says_whether_there_is_more() -> None:
    rows = Rows([replace(NEW, turn=f"t{n}") for n in range(9, 4, -1)])
    first = hearing(rows, Hears()).list_feedback(limit=3)
    assert [one["turn"] for one in first["feedback"]] == ["t9", "t8", "t7"]
    second = hearing(rows, Hears()).list_feedback(limit=3, after=first["next"])
    assert ([one["turn"] for one in second["feedback"]], second["next"]) == (["t6", "t5"], None)
