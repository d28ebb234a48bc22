"""Tests that no row of a database that somebody else made leads out of Lull's folders."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.core.errors import LullError, StoreError
from lull.core.skills.skill import SkillKey
from lull.store.disk.on_disk import inside
from lull.store.rows.facts import set_fact
from lull.store.skills.imported_files import ImportedFiles
from tests.loops.forgetting.test_forget import Archive, archive

__all__ = ["archive"]

LISTS: dict[str, Callable[[str], object]] = {
    "runs": lambda place: [place],
    "adapters": lambda place: [place],
    "skills": lambda place: [["", place], [place, "a"]],
    "set_back": lambda place: [["", f"{place}/a", "0" * 64]],
    "texts": lambda place: [f"{place}/kept"],
}
"""What a list of what is to be forgotten may name, as a stranger would write it."""


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    assert inside(tmp_path, "run_1") == tmp_path / "run_1"
    for name in ("", ".", "..", "../a", "a/b", "/etc", "a\\b", "a\0"):
        with pytest.raises(StoreError, match="which is no name of a file in"):
            inside(tmp_path, name)


@pytest.mark.parametrize("field", LISTS)
@pytest.mark.parametrize("how", ["above", "whole path"])
async def test_a_deletion_that_a_strangers_database_orders_removes_nothing_elsewhere(
    archive: Archive, tmp_path: Path, field: str, how: str
) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    for name in ("kept.md", "a.1", "a"):
        (elsewhere / name).write_text("mine")
    place = str(elsewhere)
    folders = archive.skills.folders
    roots = {"texts": folders.versions / "..", "skills": folders.working / "everybody"}
    if how == "above":
        root = roots.get(field, archive.folder / field)
        root.mkdir(parents=True, exist_ok=True)
        place = os.path.relpath(elsewhere, root)
    value = {"trajectory": "c", "turns": [], field: LISTS[field](place)}
    await archive.database.write(lambda c: set_fact(c, "forgetting:c", json.dumps(value).encode()))
    with pytest.raises(LullError):
        await archive.forget.finish()
    assert sorted(file.name for file in elsewhere.iterdir()) == ["a", "a.1", "kept.md"]


async def test_no_skill_of_such_a_name_is_written_or_read(archive: Archive) -> None:
    folders = archive.skills.folders
    for key in (SkillKey("", "../../a"), SkillKey("../..", "a"), SkillKey("", "")):
        for use in (folders.folder, folders.was_deleted):
            with pytest.raises(StoreError):
                use(key)
    for proposal in ("", "../../..", "/tmp"):
        with pytest.raises(StoreError):
            ImportedFiles(folders).install(proposal, SkillKey("", "a"))
