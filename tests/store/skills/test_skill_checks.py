"""Tests of the check approved with a skill's text: read back, and not used when damaged."""

from __future__ import annotations

from pathlib import Path

from lull.core.checks.reading import parse
from lull.core.proof.proposal import CHECK
from lull.core.skills.skill import SkillText
from lull.store.skills.skill_checks import ApprovedChecks
from lull.store.skills.skill_folders import SkillFolders

SHORT = '{"kind": "words", "at_most": 60}'


def stored(folders: SkillFolders, check: str) -> str:
    metadata = {CHECK: check} if check else {}
    text = SkillText(name="short", description="Every answer.", body="Be short.", metadata=metadata)
    return folders.keep(text)


def test_the_approved_check_comes_with_its_text(tmp_path: Path) -> None:
    folders = SkillFolders(tmp_path)
    assert ApprovedChecks(folders).checks_of(stored(folders, SHORT)) == [parse(SHORT)]


def test_a_skill_without_a_check_or_with_a_damaged_one_has_none(tmp_path: Path) -> None:
    folders = SkillFolders(tmp_path)
    assert ApprovedChecks(folders).checks_of(stored(folders, "")) == []
    assert ApprovedChecks(folders).checks_of(stored(folders, '{"kind": "no such kind"}')) == []
    assert ApprovedChecks(folders).checks_of("0" * 64) == []
