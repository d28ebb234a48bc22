"""Tests of the user's pick between two answers: its scores, and how answers are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lull.core.chat.messages import Role, ToolCall, text_message
from lull.core.chat.picks import Pick, answer_text, scores


@pytest.mark.parametrize(
    ("pick", "with_first", "scored"),
    [
        (Pick.A, True, (0.0, 1.0)),
        (Pick.A, False, (1.0, 0.0)),
        (Pick.B, True, (1.0, 0.0)),
        (Pick.B, False, (0.0, 1.0)),
    ],
)
def test_a_pick_is_for_the_answer_that_stood_there(
    pick: Pick, with_first: bool, scored: tuple[float, float]
) -> None:
    assert scores(pick, with_first=with_first) == scored


@pytest.mark.parametrize("pick", [Pick.SAME, Pick.NEITHER])
def test_whoever_picks_none_says_the_same_of_both(pick: Pick) -> None:
    without, with_ = scores(pick, with_first=True)
    assert without == with_
    assert scores(pick, with_first=False) == (without, with_)


def test_an_answer_that_calls_a_tool_shows_the_call() -> None:
    call = ToolCall(name="shell", arguments='{"run": "ls"}')
    answer = replace(text_message(Role.ASSISTANT, " I look. \n"), tool_calls=(call,))
    assert answer_text(answer) == 'I look.\n[shell {"run": "ls"}]'
