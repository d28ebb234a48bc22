"""Starts the real service for a stretch of the week, with that stretch's switches as settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.services import tied
from bench.workweek import judge as judging
from bench.workweek.arms import Stretch, Trains
from lull.cli.shared.control import Control, find_service
from lull.config.paths import Paths

SETTINGS: Final = {
    # What waits for hours in the product would wait for ever in a week that takes a minute.
    "training.trial_share": "0",
    "learning.quiet_s": "0",
    # Ten days bring fewer requests than weeks do, and of these some would get other skills by then.
    "training.graduation_prompts": "10",
    # A real night is eight hours long; this one has its sampling cut.
    "training.rounds": "1",
    "training.rollouts_a_prompt": "1",
}


@contextmanager
def service(home: Path, stretch: Stretch, *, judge: str) -> Iterator[tuple[int, Control]]:
    """Start the service in `home`; yield its port and its control API. Raises RuntimeError."""
    paths = _paths(home)
    # Nobody listens there: the built-in model alone answers.
    env = {**os.environ, "LULL_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:9"}
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(_settings_file(_wanted(stretch, judge)))
    module = "lull.cli.main" if stretch.separation else "bench.workweek.without_separation"
    process = subprocess.Popen(
        tied(["-m", module, "serve", "--port", "0", "--json"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the service of {stretch} did not start")
        yield int(json.loads(line)["address"].rsplit(":", 1)[1]), Control(paths)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stdout.close()


def stop_orphan(home: Path) -> None:
    """End a service that a killed run left behind in this home."""
    there = find_service(_paths(home)) if home.exists() else None
    if there is not None:
        os.kill(there.pid, signal.SIGKILL)


def database(home: Path) -> Path:
    return _paths(home).database


def _paths(home: Path) -> Paths:
    return Paths.from_environment({"LULL_HOME": str(home)}, sys.platform)


def _wanted(stretch: Stretch, judge: str) -> dict[str, str]:
    trains = stretch.night is not Trains.NOTHING
    wanted = {
        **SETTINGS,
        "training.enabled": _toml(trains),
        "training.graduation": _toml(stretch.night is Trains.ALL),
        "training.groups": _toml(trains),
        "training.single_answers": _toml(trains),
    }
    if not stretch.kl:
        wanted["training.kl_beta"] = "0"
    if judge:
        wanted |= {"judge.model": f'"{judging.MODEL}"', "judge.address": f'"{judge}"'}
    return wanted


def _toml(on: bool) -> str:
    return "true" if on else "false"


def _settings_file(wanted: Mapping[str, str]) -> str:
    """Return settings as TOML, with one table per group."""
    groups: dict[str, list[str]] = {}
    for name, value in wanted.items():
        group, _, key = name.partition(".")
        groups.setdefault(group, []).append(f"{key} = {value}")
    return "\n".join(f"[{group}]\n" + "\n".join(lines) for group, lines in groups.items()) + "\n"
