"""Tests of the checks approved with a skill's text: read back, and not used when damaged."""

from __future__ import annotations

from pathlib import Path

from lull.core.checks.check import CheckSet
from lull.core.checks.reading import parse, parse_all
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
    approved = ApprovedChecks(folders).checks_of(stored(folders, SHORT))
    assert approved == CheckSet(checks=(parse(SHORT),))


def test_several_approved_checks_come_together(tmp_path: Path) -> None:
    folders = SkillFolders(tmp_path)
    several = f'{{"all": [{SHORT}, {{"kind": "no_emoji"}}], "only_part": true}}'
    approved = ApprovedChecks(folders).checks_of(stored(folders, several))
    assert approved == parse_all(several)
    assert approved is not None and len(approved.checks) == 2 and not approved.whole


def test_a_skill_without_a_check_or_with_a_damaged_one_has_none(tmp_path: Path) -> None:
    folders = SkillFolders(tmp_path)
    assert ApprovedChecks(folders).checks_of(stored(folders, "")) is None
    assert ApprovedChecks(folders).checks_of(stored(folders, '{"kind": "no such kind"}')) is None
    assert ApprovedChecks(folders).checks_of("0" * 64) is None
