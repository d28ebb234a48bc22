"""Tests of the walk from a correction to a skill in force, at a terminal beside a real service."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.terminal import at_a_terminal
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

ASKED = "write a menu for apple river stone"
LETTERS = "[a/e/r/d/u/s/q/?] "


def corrected(service: RunningLull) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": ASKED}]
    body = {"model": "pocket", "stream": False, "messages": messages}
    answer = service.post("/api/chat", body).json["message"]
    correction = "no, when you write a menu, join with bars and finish with sugar"
    messages += [answer, {"role": "user", "content": correction}]
    assert service.post("/api/chat", body).status == 200


@pytest.mark.full
def test_from_a_correction_to_a_skill_without_leaving_the_terminal(lull: Lull) -> None:
    service = lull.serve()
    corrected(service)
    (proposal,) = eventually(lambda: lull.ask("review")["proposals"])
    env = lull.environment()
    with at_a_terminal("prove", "--wait", env=env) as terminal:
        code, shown = terminal.end()
    assert code == 0 and "proved on 1 request: " in shown
    with at_a_terminal("review", env=env) as terminal:
        shown = terminal.answer(LETTERS, "a")
        assert "proved on 1 request" in shown and "The evidence comes from only 1 request" in shown
        assert "+When you write a menu, join with bars and finish with sugar." in shown
        assert " in turn_" in shown.partition("Who said what:")[2]
        code, shown = terminal.end()
    assert code == 0 and "is in force from your next message" in shown
    assert service.chat("write a menu for green mouse") == "green | mouse | sugar"
    with at_a_terminal("verify", proposal["name"], env=env) as terminal:
        code, shown = terminal.end()
    assert code == 0 and "holds. Proved on 1 request" in shown
    with at_a_terminal("review", "undo", env=env) as terminal:
        assert "Taken back." in terminal.end()[1]
    assert service.chat("write a menu for green mouse") == "green and mouse"
