"""The output of every benchmark: one JSON file with rows and goals, and the same as a printed
table.
"""

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    goal: str
    value: float
    limit: float
    at_most: bool = True
    measured: str = ""
    """What stands behind the value: the estimate, its interval and its n, where it is an end of an
    interval or has one.
    """
    why_not: str = ""
    """Known cause, if the goal is missed."""

    @property
    def holds(self) -> bool:
        return self.value <= self.limit if self.at_most else self.value >= self.limit


def report(
    name: str,
    *,
    rows: Sequence[Mapping[str, Any]],
    goals: Sequence[Goal],
    seeds: Sequence[int],
    packages: Sequence[str],
    simulated: bool,
) -> dict[str, Any]:
    return {
        "bench": name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": {package: version(package) for package in packages},
        "seeds": list(seeds),
        "simulated": simulated,
        "rows": list(rows),
        "goals": [_goal(goal) for goal in goals],
    }


def _goal(goal: Goal) -> dict[str, Any]:
    said = {"goal": goal.goal, "value": goal.value, "limit": goal.limit, "holds": goal.holds}
    said |= {"measured": goal.measured} if goal.measured else {}
    return {**said, "why_not": goal.why_not} if goal.why_not and not goal.holds else said


def write(document: Mapping[str, Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{document['bench']}.json"
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    return path


def print_goals(document: Mapping[str, Any]) -> list[str]:
    """Print one line per goal and return the names of the missed ones."""
    for goal in document["goals"]:
        mark = "holds " if goal["holds"] else "MISSED"
        print(f"{mark}  {goal['goal']}: {goal['value']:.4g} (limit {goal['limit']:.4g})")
        if measured := goal.get("measured"):
            print(f"        {measured}")
        if why := goal.get("why_not"):
            print(f"        {why}")
    return [goal["goal"] for goal in document["goals"] if not goal["holds"]]


def commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def machine() -> str:
    memory_gb = psutil.virtual_memory().total / 1e9
    return (
        f"{platform.system()} {platform.machine()}, {psutil.cpu_count()} cores,"
        f" {memory_gb:.0f} GB, Python {platform.python_version()}"
    )
