"""Tests of the rule for a commit's subject, and of which commits are judged by it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.report import ROOT
from bench.subject import main, subjects, wrong_with


@pytest.mark.parametrize(
    "subject",
    [
        "store: rewrite the database only where the disk has room for it",
        "desktop tests: wait for the page and not for the clock",
        "Merge branch 'other'",
        'Revert "store: mend it"',
    ],
)
def test_a_subject_of_the_form_is_right(subject: str) -> None:
    assert wrong_with(subject) == ""


@pytest.mark.parametrize(
    "subject",
    [
        "Fix things",
        "store: mend it.",
        "bench: add a table; docs: show it",
        "a long row of words: mend it",
        f"store: {'x' * 66}",
        "store:mend it",
        "Merge what others did",
        "Revert to the state before",
    ],
)
def test_another_subject_is_told(subject: str) -> None:
    assert wrong_with(subject)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout on `main` with two commits, of which the first has a wrong subject."""
    made = tmp_path / "tree"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    commit(made, "Begin")
    commit(made, "store: keep it")
    return made


def git(tree: Path, *asked: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *who, *asked], cwd=tree, check=True, capture_output=True)


def commit(tree: Path, subject: str) -> None:
    git(tree, "commit", "-q", "--allow-empty", "-m", subject)


def merged(tree: Path, *made: str) -> None:
    """Make these commits on a branch, and merge it by a commit of its own."""
    git(tree, "switch", "-q", "-c", "other")
    for one in made:
        commit(tree, one)
    git(tree, "switch", "-q", "main")
    git(tree, "merge", "-q", "--no-ff", "-m", "Merge branch 'other'", "other")


def test_on_a_branch_all_its_commits_are_judged_and_none_of_main(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tree, "switch", "-q", "-c", "topic")
    for one in ("Wrong one", "store: mend it", "docs: say so"):
        commit(tree, one)
    assert subjects(tree) == ["docs: say so", "store: mend it", "Wrong one"]
    assert main([], tree) == 1 and "'Wrong one'" in capsys.readouterr().err
    assert main(["HEAD~2"], tree) == 0
    assert main(["nowhere"], tree) == 2


def test_on_main_all_are_judged_that_a_merge_brought(tree: Path) -> None:
    assert subjects(tree) == ["store: keep it"]
    merged(tree, "Wrong one", "store: mend it")
    assert subjects(tree) == ["store: mend it", "Wrong one"]
    commit(tree, "docs: say so")
    assert subjects(tree) == ["docs: say so"]


def test_a_clone_judges_likewise_and_a_shallow_one_what_it_has(tree: Path, tmp_path: Path) -> None:
    merged(tree, "Wrong one", "store: mend it")
    git(tmp_path, "clone", "-q", str(tree), "whole")
    assert subjects(tmp_path / "whole") == ["store: mend it", "Wrong one"]
    commit(tmp_path / "whole", "docs: say so")
    assert subjects(tmp_path / "whole") == ["docs: say so"], "what the origin lacks"
    git(tmp_path, "clone", "-q", "--depth=1", tree.as_uri(), "shallow")
    assert subjects(tmp_path / "shallow") == ["Merge branch 'other'"]


def test_a_tree_without_git_or_commits_has_none_to_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main([], tmp_path) == 0
    git(tmp_path, "init", "-q")
    assert main([], tmp_path) == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([], tmp_path) == 0


def test_the_message_of_a_commit_that_is_being_made_is_judged_by_its_first_line(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    hooked = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    hooked += ["-c", f"core.hooksPath={ROOT / 'packaging' / 'hooks'}", "commit", "--allow-empty"]
    for said, is_right in [("store: mend it\n\nThis was wrong.", True), ("Mend it", False)]:
        made = subprocess.run([*hooked, "-m", said], cwd=tmp_path, capture_output=True, check=False)
        assert (made.returncode == 0) is is_right, made
        assert (b"not of the form" in made.stderr) is not is_right
