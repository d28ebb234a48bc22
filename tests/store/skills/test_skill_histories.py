"""Tests of random sequences of changes to skills: each is a generation, old ones stay the same."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lull.core.errors import LullError
from lull.core.skills.skill import ChangeKind, Library, SkillKey, SkillStatus
from tests.building import Home

NAMES = ("a", "b")
CLIENTS = ("", "cursor")
SWITCHES = (
    ChangeKind.PIN,
    ChangeKind.UNPIN,
    ChangeKind.DISABLE,
    ChangeKind.ENABLE,
    ChangeKind.DELETE,
)
keys = st.builds(SkillKey, st.sampled_from(CLIENTS), st.sampled_from(NAMES))
bodies = st.sampled_from(["One.", "Two.", "Three."])
steps = st.one_of(
    st.tuples(st.just("add"), keys, bodies),
    st.tuples(st.just("edit"), keys, bodies),
    st.tuples(st.just("by hand"), keys, bodies),
    st.tuples(st.just("switch"), keys, st.sampled_from(SWITCHES)),
    st.tuples(st.just("copy"), keys, st.sampled_from(CLIENTS)),
    st.tuples(st.just("roll back"), st.none(), st.integers(0, 12)),
    st.tuples(st.just("restart"), st.none(), st.none()),
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=12))
def test_any_history_keeps_its_promises(history: list[tuple[str, SkillKey, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder), history))


async def play(folder: Path, history: list[tuple[str, SkillKey, object]]) -> None:
    home = Home(folder)
    seen: dict[int, Library] = {0: home.library}
    try:
        for what, key, value in history:
            before = home.skills.library().generation
            try:
                await step(home, what, key, value)
            except LullError:
                assert home.skills.library().generation == before
            library = home.skills.library()
            assert library.generation in (before, before + 1)
            seen.setdefault(library.generation, library)
            for generation, then in seen.items():
                assert home.skills.library(generation) == then
        one_text_a_version(home, seen[max(seen)])
        working_copies_read_as_the_library(home, home.skills.library())
    finally:
        await asyncio.to_thread(home.database.close)


async def step(home: Home, what: str, key: SkillKey, value: object) -> None:
    match what:
        case "add":
            await home.add(key.name, "When.", str(value), client=key.client)
        case "edit":
            await home.approve.edit(key, body=str(value))
        case "by hand":
            file = home.skills.folders.folder(key) / "SKILL.md"
            if file.is_file():
                text = f"---\nname: {key.name}\ndescription: By hand.\n---\n{value}\n"
                file.write_text(text)
                await home.approve.propose_file_edits()
                await home.approve_files()
        case "switch":
            await home.approve.switch(key, ChangeKind(str(value)))
        case "copy":
            await home.approve.copy(key, to=str(value))
        case "roll back":
            await home.approve.roll_back(int(str(value)))
        case "restart":
            await home.restart()


def one_text_a_version(home: Home, library: Library) -> None:
    for key in library.skills:
        texts: dict[int, str] = {}
        for row in home.skills.history(key):
            assert texts.setdefault(row.version, row.sha256) == row.sha256


def working_copies_read_as_the_library(home: Home, library: Library) -> None:
    for key, skill in library.skills.items():
        file = home.skills.folders.folder(key) / "SKILL.md"
        if skill.status is SkillStatus.ARCHIVED:
            assert not file.exists()
        else:
            assert file.read_bytes() == home.skills.folders.data(skill.sha256)
