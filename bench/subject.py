"""`python -m bench.subject`: is the newest commit's subject `area: imperative`, in 72 characters?

The areas are not listed: an area is a word or two of the subjects that the house is divided into,
or a folder of it (`store/feedback`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

from bench.report import ROOT

MOST: Final = 72
_FORM: Final = re.compile(r"[a-z][a-z0-9_-]*(?:[ /][a-z0-9_-]+){0,2}: [a-z`“\"'A-Z0-9].*[^.]")


def wrong_with(subject: str) -> str:
    """Return what is wrong with a commit's subject; "" if nothing is, or if git wrote it."""
    if subject.startswith(("Merge ", "Revert ")):
        return ""
    if len(subject) > MOST:
        return f"it has {len(subject)} characters, where {MOST} are allowed"
    if not _FORM.fullmatch(subject) or ";" in subject:
        return "it is not of the form `area: imperative sentence`, with one area and no full stop"
    return ""


def main() -> int:
    """Check the newest commit of this checkout; a tree without git has none to check."""
    asked = ["git", "log", "-1", "--format=%s"]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    subject = found.stdout.strip()
    if found.returncode or not (wrong := wrong_with(subject)):
        return 0
    print(f"The subject of the newest commit, {subject!r}: {wrong}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
