"""Tests that a model which obeys skills best in the user message gets them there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from lull.backends.chat.placing_cases import load_placing_sheet
from lull.core.proof.placing import PlacingResult
from lull.core.skills.prompt_block import Placement, skills_block
from lull.store.proof.placings import Placings
from tests.building import database_at
from tests.service.conftest import SKILL
from tests.service.lulls import Before, lull_before
from tests.service.routes import CHATS, asking
from tests.service.scripted_upstream import ScriptedUpstream

NOBODY = (
    "Skills are put in the system prompt (the instructions that a model gets before the "
    "conversation); no model has been measured yet."
)
WHY = "Skills are put after your message: there the model clearly follows rules more often."


@pytest.fixture(scope="module")
def told(_upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Lull with a pinned skill, and a stored result on where its model obeys skills best."""
    home = tmp_path_factory.mktemp("told") / "home"
    home.mkdir(mode=0o700)
    database = database_at(home / "lull.db")
    found = PlacingResult(
        model="any",
        digest="d1",
        sheet=load_placing_sheet().sha256,
        place=Placement.TAIL,
        why=WHY,
    )
    asyncio.run(Placings(database).put(found))
    database.close()
    with lull_before(_upstream.address, home) as made:
        made.add_skill("brief", SKILL)
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("path", CHATS)
def test_its_requests_carry_skills_behind_the_message_and_no_system_text(
    told: Before, upstream: ScriptedUpstream, path: str
) -> None:
    before = len(told.turns())
    assert told.ask("POST", path, asking(path, stream=False)).status == 200
    said = upstream.last(path).json
    wanted = f"hello there\n\n{skills_block([SKILL])}"
    sent = said.get("prompt") or said.get("input") or said["messages"][-1]["content"]
    assert sent == wanted
    assert not said.get("system") and not said.get("instructions")
    assert len(said.get("messages", ())) <= 1
    (turn,) = told.new_turns(before)
    assert "brief" in turn["suffixes"]


@pytest.mark.full
@pytest.mark.slow
def test_doctor_and_learning_say_where(told: Before) -> None:
    checks = told.control("GET", "/v1/doctor")["checks"]
    text = next(str(one["text"]) for one in checks if one["name"] == "placing")
    # Which models are talked to is looked for once a minute.
    assert text in (f"any: {WHY}", NOBODY)
    assert "placings" in told.control("GET", "/v1/learning")
