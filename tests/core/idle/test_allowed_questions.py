"""Tests of when Lull may ask a judge or a writer outside lulls: not while a gate other than chats
and the wait for a lull is closed.
"""

from __future__ import annotations

import pytest

from lull.core.idle.policy import IdleWindow, WindowState
from lull.core.idle.rule import ConditionName, ConditionState, IdleCondition


def seen(**states: ConditionState) -> IdleWindow:
    conditions = tuple(
        IdleCondition(name=name, state=states.get(name.name.lower(), ConditionState.OPEN), text="")
        for name in ConditionName
    )
    return IdleWindow(
        state=WindowState.CLOSED, because="", until=None, next=None, conditions=conditions
    )


WAITED_FOR = {ConditionName.CHAT, ConditionName.WAIT}


@pytest.mark.parametrize("name", [name for name in ConditionName if name not in WAITED_FOR])
def test_a_closed_condition_keeps_it(name: ConditionName) -> None:
    assert not seen(**{name.name.lower(): ConditionState.CLOSED}).allows_a_question


@pytest.mark.parametrize("name", sorted(WAITED_FOR))
def test_the_wait_for_a_lull_and_the_last_chat_do_not(name: ConditionName) -> None:
    assert seen(**{name.name.lower(): ConditionState.CLOSED}).allows_a_question


@pytest.mark.parametrize("name", ConditionName)
def test_what_nothing_can_tell_does_not(name: ConditionName) -> None:
    assert seen(**{name.name.lower(): ConditionState.UNKNOWN}).allows_a_question
