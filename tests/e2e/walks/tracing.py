"""Traces a real service, and compares the trace with a walk of docs/architecture.md."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.house import ROOT, WALKS
from tests.eventually import eventually
from tests.running import Lull, RunningLull

PAGE = ROOT / "docs" / "architecture.md"


@dataclass(frozen=True, slots=True)
class TracedLull:
    """A service that writes down the files it enters."""

    running: RunningLull
    file: Path

    def begins_anew(self) -> None:
        """Forget what was entered so far."""
        before = self.entered()
        self.running.process.send_signal(signal.SIGUSR1)
        eventually(lambda: self.entered()[: len(before)] != before)

    def entered(self) -> list[str]:
        """Return the files in the order in which they were first entered."""
        return [file for file, how, *_ in self._said() if how not in ("<", "~", "@")]

    def called_by(self, door: str) -> set[str]:
        """Return the files that a file has called, itself or through others."""
        return {file for file, how, *by in self._said() if door in (how, *by)}

    def callers(self) -> dict[str, set[str]]:
        """Return the files by which each file was called, without another of ours in between; by
        way of a library only for those that no other calls itself.
        """
        found: dict[str, dict[str, set[str]]] = {"<": {}, "~": {}}
        for file, how, *by in self._said():
            if how in found:
                found[how].setdefault(file, set()).update(by)
        return found["~"] | found["<"]

    def entries(self, leg: list[str]) -> dict[str, list[str]]:
        """Return the files of a leg in the order in which its first file had them entered, each
        with the functions out of which it was, the innermost first, as `FILE:FUNCTION`. A file
        that was entered on a thread of its own alone counts from then.
        """
        found: dict[str, tuple[bool, int, list[str]]] = {}
        for number, (file, how, *functions) in enumerate(self._said()):
            if how == "@" and file in leg:
                by = [one for one in functions if one.rpartition(":")[0] in leg]
                aside = file != leg[0] and not any(one.startswith(f"{leg[0]}:") for one in by)
                found[file] = min(found.get(file, (True, number, by)), (aside, number, by))
        return {file: by for file, (_, _, by) in sorted(found.items(), key=lambda one: one[1][1])}

    def _said(self) -> list[list[str]]:
        return [[*line.split(), ""] for line in self._lines()]

    def _lines(self) -> list[str]:
        return self.file.read_text("utf-8").splitlines()


def serve_traced(lull: Lull, file: Path) -> TracedLull:
    all_legs = ";".join(",".join(leg) for walk in WALKS for leg in legs(walk))
    words = [sys.executable, "-m", "tests.e2e.walks.traced", str(file), all_legs]
    process = subprocess.Popen(
        [*words, "serve", "--port", "0", "--json"],
        cwd=ROOT,
        env=lull.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()
    running = RunningLull(lull, process, json.loads(line)["address"])
    lull.services.append(running)
    return TracedLull(running, file)


def legs(walk: str) -> list[list[str]]:
    """Return the files of a walk, a list for each of its legs, which a full stop parts."""
    (said,) = re.findall(rf"\*\*One {walk}\.\*\*(.*?)\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    found = [re.findall(r"`([^`]+)`", leg) for leg in re.split(r"\.\s", said)]
    return [leg for leg in found if leg]


def stages(walk: str) -> dict[str, set[str]]:
    """Return for each file of a walk that stands under another the one that it stands under, with
    all else that stands there.
    """
    (said,) = re.findall(rf"\*\*One {walk}\.\*\*(.*?)\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    lines = re.findall(r"^( *)- [^`\n]*`([^`]+)`", said, re.MULTILINE)
    depths = {file: len(indent) for indent, file in lines}
    above: dict[str, str] = {}
    path: list[str] = []
    for file, depth in depths.items():
        path = [one for one in path if depths[one] < depth]
        above |= {file: path[-1]} if path else {}
        path.append(file)
    return {
        file: {one} | {f for f in above if one in _line(f, above)} for file, one in above.items()
    }


def _line(file: str, above: Mapping[str, str]) -> list[str]:
    """Return all files that a file stands under, the nearest first."""
    found = [above[file]] if file in above else []
    return [*found, *(_line(found[0], above) if found else [])]


def misplaced(walk: str, *called: Mapping[str, set[str]]) -> list[str]:
    """Return the files of the walk that are called neither by the file that they stand under nor by
    another that stands there, be it through one file in between. A thread's first file has no
    caller.
    """
    under = stages(walk)
    return [
        file
        for leg, callers in zip(legs(walk), called, strict=True)
        for file in leg
        if file in under
        and (by := callers.get(file, set()))
        and not by.union(*(callers.get(one, set()) for one in by)) & (under[file] - {file})
    ]


def beside(walk: str) -> set[str]:
    """Return the files that the page says are looked into on this walk."""
    (said,) = re.findall(
        rf"\*\*Beside the {walk}\.\*\*(.*?)\n\n", PAGE.read_text("utf-8"), re.DOTALL
    )
    return set(re.findall(r"`([^`]+)`", said))


def unnamed(walk: str, called: set[str]) -> list[str]:
    """Return which of these files the page names neither on the walk nor beside it, alone or by
    their folder. The modules of `service/wiring` join the others and are named nowhere.
    """
    named = {one for leg in legs(walk) for one in leg} | beside(walk)
    folders = ("service/wiring/", *(one for one in named if one.endswith("/")))
    return sorted(one for one in called - named if not one.startswith(folders))


def turn_backs(*walked: Mapping[str, list[str]]) -> list[str]:
    """Return those files of these legs, with the function that calls each, for which who reads the
    walk opens an earlier file again to learn that they come next. Each leg is given as `entries`.

    No one does where the file just read calls the next. Nor where a file read before calls it in
    the function that also called the stage before: whoever read this function knows its stages.
    """
    found = []
    for leg in walked:
        before = ""
        led_on: dict[str, str] = {}
        """By file: the function out of which the reader left it last."""
        for file, callers in leg.items():
            by = [one.rpartition(":")[::2] for one in callers]
            caller, function = by[0] if by else ("", "a thread of its own")
            if before and caller != before and led_on.get(caller) != function:
                found.append(f"{file} by {caller}:{function}")
            before = file
            led_on |= dict(reversed(by))
    return found


def turn_backs_told(walk: str) -> int:
    """Return how many turn-backs on this walk the page says there are today."""
    row = rf"^\| turn-backs on the walk of a {walk} \| \d+ \| (\d+) \|"
    (said,) = re.findall(row, PAGE.read_text("utf-8"), re.MULTILINE)
    return int(said)
