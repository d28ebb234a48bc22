"""Tests of the routes by which Lull's window says something about an answer."""

from __future__ import annotations

from tests.eventually import eventually
from tests.service.lulls import Before

CHAT = {"model": "any", "messages": [{"role": "user", "content": "list two dishes"}]}


def known(plain: Before) -> int:
    """How many messages wait to be read for feedback, or were read."""
    said = plain.control("GET", "/v1/feedback")
    return int(said["waiting"]) + len(said["feedback"])


def test_words_about_an_answer_stand_below_it_and_wait_to_be_read(plain: Before) -> None:
    before = len(plain.turns())
    assert plain.ask("POST", "/api/chat", CHAT).status == 200
    (asked,) = plain.new_turns(before)
    before = known(plain)
    path = f"/v1/turns/{asked['id']}"
    made = plain.control("POST", f"{path}/correct", {"words": "Join them with bars."})
    shown = plain.control("GET", f"/v1/conversations/{made['conversation']}")
    assert [(one["id"], one["corrects"]) for one in shown["turns"]] == [
        (asked["id"], False),
        (made["turn"], True),
    ]
    assert shown["turns"][1]["request"] == "Join them with bars."
    eventually(lambda: known(plain) > before)
    denied = plain.control("POST", "/v1/turns/none/deny", {"denied": True})
    assert "none" in denied["error"]["detail"]
