"""Validates files of labelled sentences: `python -m bench.reader.check_people FILE…`."""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.reader.items import CHECKS

Line = dict[str, Any]
KEYS = frozenset(
    "asked answer said correction lasting scope quote kind_of_rule check trap".split()  # noqa: SIM905
)


def faults(line: Line) -> list[str]:
    """Return descriptions of what is wrong with one labelled sentence."""
    if line.keys() != KEYS:
        return [f"keys are {sorted(line)}"]
    wrong = [f"{key} is empty" for key in ("asked", "answer", "said") if not str(line[key]).strip()]
    if line["correction"] not in (True, False, None):
        wrong.append("correction is neither true, false nor null")
    if line["lasting"] not in (True, False, None):
        wrong.append("lasting is neither true, false nor null")
    if not isinstance(line["trap"], bool):
        wrong.append("trap is no boolean")
    return wrong + (_faults_of_rule(line) if line["lasting"] else _faults_of_none(line))


def _faults_of_rule(line: Line) -> list[str]:
    wrong = [f"quote is not in said: {q!r}" for q in line["quote"] if q not in line["said"]]
    if line["scope"] not in ("all", "kind", None):
        wrong.append("scope is neither all, kind nor null")
    if line["kind_of_rule"] not in ("preference", "fact"):
        wrong.append("kind_of_rule is neither preference nor fact")
    if not line["quote"]:
        wrong.append("nothing is quoted")
    if line["check"] is not None and line["check"] not in CHECKS:
        wrong.append(f"there is no check {line['check']!r}")
    return wrong


def _faults_of_none(line: Line) -> list[str]:
    said = [key for key in ("scope", "quote", "kind_of_rule", "check") if line[key]]
    return [f"not lasting, yet it has {', '.join(said)}"] if said else []


def summary(name: str, lines: Sequence[Line]) -> str:
    def part(want: Callable[[Line], bool]) -> str:
        return f"{sum(map(want, lines)) / max(len(lines), 1):.0%}"

    shares = {
        "lasting": part(lambda i: bool(i["lasting"])),
        "correction": part(lambda i: i["correction"] is True),
        "correction arguable": part(lambda i: i["correction"] is None),
        "lasting arguable": part(lambda i: i["lasting"] is None),
        "traps": part(lambda i: bool(i["trap"])),
        "all": part(lambda i: i["scope"] == "all"),
        "kind": part(lambda i: i["scope"] == "kind"),
        "facts": part(lambda i: i["kind_of_rule"] == "fact"),
        "check": part(lambda i: bool(i["check"])),
    }
    told = ", ".join(f"{key} {value}" for key, value in shares.items())
    return f"{name}: {len(lines)} items; {told}"


def main(names: Sequence[str]) -> int:
    bad = 0
    for name in names:
        lines = [json.loads(text) for text in Path(name).read_text("utf-8").splitlines()]
        for number, line in enumerate(lines, 1):
            for wrong in faults(line):
                bad += 1
                print(f"{name}:{number}: {wrong}")
        said = collections.Counter(str(line.get("said", "")).strip().lower() for line in lines)
        for text, times in said.items():
            if times > 1:
                bad += 1
                print(f"{name}: said {times} times: {text[:80]!r}")
        print(summary(name, lines))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
