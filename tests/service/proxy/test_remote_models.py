"""Tests that requests for a model on another machine pass unchanged and are not recorded."""

from __future__ import annotations

import pytest

from lull.core.skills.prompt_block import skills_block
from tests.service.conftest import SKILL
from tests.service.lulls import Before
from tests.service.routes import CHATS, asking
from tests.service.scripted_upstream import ScriptedUpstream
from tests.service.wire import as_bytes

REMOTE = ["far", "FAR:latest", "any:cloud", "gpt-oss:120b-cloud", "new-and-far"]


@pytest.mark.parametrize("path", CHATS)
@pytest.mark.parametrize("model", REMOTE)
def test_a_remote_model_gets_the_bytes_that_were_sent(
    skilled: Before, upstream: ScriptedUpstream, model: str, path: str
) -> None:
    upstream.shows["new-and-far:latest"] = {"remote_host": "https://x.test", "system": "S"}
    before = len(skilled.turns())
    body = as_bytes(asking(path, model=model, stream=False))
    assert skilled.ask("POST", path, body).status == 200
    assert upstream.last(path).body == body
    skilled.ask("POST", "/api/chat", asking("/api/chat", stream=False))
    (turn,) = skilled.new_turns(before)
    assert turn["model"] == "any"


def test_a_local_model_made_a_moment_ago_is_known_at_once(
    skilled: Before, upstream: ScriptedUpstream
) -> None:
    skilled.ask("POST", "/api/chat", asking("/api/chat", model="new-and-near", stream=False))
    said = upstream.last("/api/chat").json["messages"]
    assert skills_block([SKILL]) in said[0]["content"]
