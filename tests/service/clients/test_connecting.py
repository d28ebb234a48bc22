"""Tests of the test request of a chat client: which model it asks, by files on a real disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lull.contract.json_object import Json
from lull.core.clients.client import ApiProtocol
from lull.core.models.most_used_model import ModelUse
from lull.service.clients.connecting import ConnectRequests
from tests.loops.clients.test_connect import TO, ZED, Person
from tests.service.clients.test_drifted import parts_of

NAMES_ONE = '{"agent": {"default_model": {"provider": "ollama", "model": "phi4"}}}'


class Here:
    """The status and the recorded answers of a service."""

    def __init__(self, *uses: tuple[str, int]) -> None:
        self.uses = uses

    async def status(self) -> Json:
        return {"address": TO.address, "policy": {"model": "lull-mini"}}

    async def doctor(self) -> Json:
        raise AssertionError("nobody asks for it here")

    def answer_counts(self, since: datetime) -> Sequence[ModelUse]:
        return [ModelUse(model=name, turns=turns, last=since) for name, turns in self.uses]


def requests(me: Person, here: Here) -> ConnectRequests:
    def try_out(_: str, speech: ApiProtocol, client: str, model: str) -> Json:
        return {"ok": True, "model": model, "client": client, "route": speech.value}

    return ConnectRequests(replace(parts_of(me), try_out=try_out), here, here)


@pytest.fixture
def me(tmp_path: Path) -> Person:
    return Person(tmp_path)


async def tried(me: Person, here: Here, client: str = "zed", **body: str) -> dict[str, Any]:
    found: dict[str, Any] = (await requests(me, here).test(client, body))["test"]
    return found


async def test_the_model_that_the_clients_own_file_names_is_asked(me: Person) -> None:
    me.has(ZED, NAMES_ONE)
    me.connect("zed")
    test = await tried(me, Here(("qwen3", 9)))
    assert (test["model"], test["from_client"]) == ("phi4", True)
    test = await tried(me, Here(), model="wanted")
    assert (test["model"], test["from_client"]) == ("wanted", False)


async def test_of_a_client_that_names_none_the_model_most_talked_to_is_asked(me: Person) -> None:
    me.has(ZED, "{}")
    me.connect("zed")
    test = await tried(me, Here(("lull-mini", 30), ("phi4", 2), ("qwen3", 9)))
    assert (test["model"], test["from_client"]) == ("qwen3", False)
    test = await tried(me, Here())
    assert test["model"] == "lull-mini"


async def test_a_client_that_needs_a_model_gets_the_one_most_talked_to(me: Person) -> None:
    asked = requests(me, Here(("lull-mini", 30), ("qwen3", 9)))
    assert (await asked.plan("claude-code", {}))["model"] == "qwen3"
    assert (await asked.all())["most_used"] == "qwen3"
