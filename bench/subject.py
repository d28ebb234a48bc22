"""`python -m bench.subject [BASE]`: are commits' subjects `area: imperative`, in 72 characters?

On a branch every commit is judged that is not in BASE yet, by default `main`, here or at the
origin; on `main` itself those that its newest commit brought, so all of a merged branch. With
`--message FILE`, as git calls a hook named commit-msg, the message of a commit that is being made.

The areas are not listed: an area is a word or two of the subjects that the house is divided into,
or a folder of it (`store/feedback`).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from bench.report import ROOT

MOST: Final = 72
BASES: Final = ("main", "master", "origin/main", "origin/master", "origin/HEAD")
_FORM: Final = re.compile(r"[a-z][a-z0-9_-]*(?:[ /][a-z0-9_-]+){0,2}: [a-z`“\"'A-Z0-9].*[^.]")
_GITS_OWN: Final = re.compile(
    r"Revert \".+\"|Merge (branch|branches|commit|tag|remote-tracking|pull request) .+"
)


def wrong_with(subject: str) -> str:
    """Return what is wrong with a commit's subject; "" if nothing is, or if git wrote it."""
    if _GITS_OWN.fullmatch(subject):
        return ""
    if len(subject) > MOST:
        return f"it has {len(subject)} characters, where {MOST} are allowed"
    if not _FORM.fullmatch(subject) or ";" in subject:
        return "it is not of the form `area: imperative sentence`, with one area and no full stop"
    return ""


def subjects(root: Path, base: str | None = None) -> list[str]:
    """Return the subjects of the commits to judge in a checkout, merges left out; none in a tree
    without git.

    Raises ValueError if there is no commit `base`.
    """
    head = _git(root, "rev-parse", "--verify", "HEAD")
    if head is None:
        return []
    if base is not None and _git(root, "rev-parse", "--verify", f"{base}^{{commit}}") is None:
        raise ValueError(f"There is no commit {base!r} here.")
    found = [_git(root, "rev-parse", "--verify", one) for one in BASES]
    bases = [base] if base is not None else [one for one in found if one not in (None, head)]
    if bases:
        return _log(root, "HEAD", "--not", *filter(None, bases)) or []
    brought = _log(root, "HEAD^1..HEAD")
    if brought is None:  # the first commit, or the oldest of a shallow clone
        brought = _log(root, "-1", "HEAD")
    return brought or []


def _log(root: Path, *which: str) -> list[str] | None:
    found = _git(root, "log", "--no-merges", "--format=%s", *which, "--")
    return None if found is None else found.splitlines()


def _git(root: Path, *asked: str) -> str | None:
    """What git answers; None if it cannot, or is not installed."""
    try:
        done = subprocess.run(
            ["git", *asked], cwd=root, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout.strip()


def main(argv: list[str], root: Path = ROOT) -> int:
    """Judge the commits, or the message, that `argv` names; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.subject")
    parser.add_argument("base", nargs="?", metavar="BASE")
    parser.add_argument("--message", type=Path, metavar="FILE")
    given = parser.parse_args(argv)
    try:
        found = (
            subjects(root, given.base)
            if given.message is None
            else given.message.read_text("utf-8").splitlines()[:1]
        )
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    wrong = {subject: said for subject in found if (said := wrong_with(subject))}
    for subject, said in wrong.items():
        print(f"A commit's subject, {subject!r}: {said}.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
