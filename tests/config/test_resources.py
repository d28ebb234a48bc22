"""Tests of finding the files that ship with Lull, in a checkout and in an installed package."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lull.core.errors import ResourceError
from lull.resources import chat_adapter_dir, pocket_dir, prompt, prompt_sha256, starter_skills_dir


def test_a_checkout_has_its_resources_beside_the_source() -> None:
    assert starter_skills_dir().as_posix().endswith("/resources/skills")


def test_an_installed_package_has_them_inside(tmp_path: Path) -> None:
    inside, beside = tmp_path / "lull" / "_resources", tmp_path / "resources"
    for place in (inside, beside):
        (place / "pocket").mkdir(parents=True)
        (place / "pocket" / "config.json").touch()
    assert pocket_dir((inside, beside)) == inside / "pocket"


@pytest.mark.parametrize("find", [chat_adapter_dir, pocket_dir, starter_skills_dir])
def test_an_empty_folder_counts_as_missing_and_says_what_to_do(
    find: type[Path], tmp_path: Path
) -> None:
    (tmp_path / "english").mkdir()
    (tmp_path / "pocket").mkdir()
    (tmp_path / "skills").mkdir()
    with pytest.raises(ResourceError, match="There is no") as caught:
        find((tmp_path,))
    assert "Install Lull again" in caught.value.hint


@pytest.mark.parametrize("name", ["judge-turn", "judge-wish", "judge-pair", "evolve"])
def test_every_prompt_ships_and_is_named_by_its_words(name: str) -> None:
    assert "JSON object" in prompt(name)
    assert prompt_sha256(name) == hashlib.sha256(prompt(name).encode()).hexdigest()


def test_a_prompt_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"There is no judge-turn\.md"):
        prompt("judge-turn", (tmp_path,))
