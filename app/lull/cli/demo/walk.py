"""`lull demo`: simulates a week of use in a temporary data folder and opens the dashboard on it.

The folder is removed when the command ends, however it ends; `--keep` and `--home` keep it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lull.cli.shared.context import Context
from lull.config.paths import Paths
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.core.text import durations as spans
from lull.service.process.lock import is_running

CLEAR_LINE: Final = "\r\x1b[K"
EXIT_TIMEOUT_S: Final = 30.0


def demo(context: Context) -> int:
    """Simulate the demo's week of use and open the dashboard on the result.

    Raises DemoFailed, or NoDisplay before anything is played.
    """
    from lull.cli.process.window import check_display

    options = context.options
    if not options.no_window:
        check_display(
            os.environ,
            sys.platform,
            hint="`lull demo --no-window --keep` plays the week and leaves it for `lull --home`.",
        )
    with _home(options.home, keep=options.keep) as paths, _ended_by_signals():
        home = paths.home
        _say(f"The week is played in {home}.")
        began_s = time.monotonic()
        played = play(paths)
        played |= {"home": str(home), "kept": _kept(options)}
        context.print_result({**played, "took_s": round(time.monotonic() - began_s, 1)}, _words)
        if options.no_window:
            return 0
        sys.stdout.flush()
        return _open(replace(context, paths=paths))


def play(paths: Paths, *, now: datetime | None = None) -> Json:
    """Simulate the demo's week of use in a prepared, empty data folder and return a summary as
    JSON.

    The week ends shortly before `now`.
    """
    from lull.cli.demo.service import PlayedService
    from lull.cli.demo.week import DemoWeek, played_settings
    from lull.cli.process.window import serve_command

    now = now or datetime.now(UTC).astimezone()
    # Not in the home, so that the demo's own files are not among the user's.
    with tempfile.TemporaryDirectory(prefix="lull-stage-") as stage:
        frozen = bool(getattr(sys, "frozen", False))
        service = PlayedService(paths, serve_command(frozen=frozen), Path(stage))
        with played_settings(service), service.desk:
            progress = DemoLine()
            parts = DemoWeek(service, now).parts()
            for part in parts:
                progress.start_part(part.text, part.weight, sum(one.weight for one in parts))
                part.play()
            progress.clear()
            with service.running(now):
                return _came_of_it(service.control())


def _came_of_it(control: Any) -> Json:
    status = control.get(routes.STATUS)
    proposals = control.get(routes.PROPOSALS)["proposals"]
    return {
        "conversations": status["conversations"],
        "turns": status["turns"],
        "generation": status["policy"]["generation"],
        "skills": status["skills"]["active"],
        "proposals": [{"name": one["name"], "status": one["status"]} for one in proposals],
        "days": [
            {"day": one["day"], "answers": one["n"], "reward": one["reward"]}
            for one in control.get(routes.LEARNING)["days"]
        ],
    }


def _words(came: Json) -> str:
    lines = [
        f"A week in {spans.format_duration(came['took_s'])}: "
        f"{came['conversations']} conversations, "
        f"{_counted(came['skills'], 'active skill')}, "
        f"{_counted(len(came['proposals']), 'suggestion')} to look at.",
        *_learned(came["days"]),
        f"It lies in {came['home']}"
        + (
            f" and stays; `lull --home {came['home']}` opens it again."
            if came["kept"]
            else " and is removed when you quit."
        ),
    ]
    return "\n".join(lines)


def _learned(days: list[Json]) -> Iterator[str]:
    """Yield a sentence on how many answers were good in the first two and in the last two days that
    have any.
    """
    known = [day for day in days if day["reward"] is not None]
    if len(known) >= 4:
        before, after = _share(known[:2]), _share(known[-2:])
        yield f"Good answers: {before:.0%} in its first two days, {after:.0%} in its last two."


def _share(days: list[Json]) -> float:
    good: float = sum(day["reward"] * day["answers"] for day in days)
    answers: int = sum(day["answers"] for day in days)
    return good / answers


def _open(context: Context) -> int:
    from lull.cli.process.window import open_dashboard

    return open_dashboard(context)


def _kept(options: Any) -> bool:
    return bool(options.keep or options.home)


@contextlib.contextmanager
def _home(named: str | None, *, keep: bool) -> Iterator[Paths]:
    """Context manager for the demo's empty data folder; a temporary one is removed afterwards
    unless `keep`.
    """
    if named is not None:
        home = Path(named).expanduser().absolute()
        if home.exists() and (not home.is_dir() or any(home.iterdir())):
            raise UsageError(
                f"{home} is not empty, and a played week shall not mix with a real one.",
                hint="Name a folder that is not there yet.",
            )
        yield _prepared(home)
        return
    paths = _prepared(Path(tempfile.mkdtemp(prefix="lull-demo-")))
    try:
        yield paths
    finally:
        if not keep:
            _remove(paths)


def _prepared(home: Path) -> Paths:
    paths = Paths.from_environment(os.environ, sys.platform, home=str(home))
    paths.prepare()
    paths.demo_marker.write_text("`lull demo` played a week of use here. Nobody's own words.\n")
    return paths


def _remove(paths: Paths) -> None:
    """Remove the demo's data folder once its service has exited, because the service writes to it
    until then.
    """
    until_s = time.monotonic() + EXIT_TIMEOUT_S
    while is_running(paths.lock) and time.monotonic() < until_s:
        time.sleep(0.05)
    shutil.rmtree(paths.home, ignore_errors=True)
    if not paths.control_socket.is_relative_to(paths.home):
        shutil.rmtree(paths.control_socket.parent, ignore_errors=True)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Context manager that handles SIGTERM and SIGHUP like Ctrl-C, so that the demo's data folder
    is cleaned up.
    """

    def leave(*_: object) -> None:
        raise KeyboardInterrupt

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None:
            before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr)


class DemoLine:
    """Shows the progress of `lull demo` on one terminal line: the part of the week being simulated,
    the share done, the time left.
    """

    def __init__(self) -> None:
        self._began_s = time.monotonic()
        self._done = 0.0
        self._doing = 0.0
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def start_part(self, text: str, weight: float, whole: float) -> None:
        """Show that the next part of the demo's simulated week has started; `text` names the part.

        The part is expected to take the share `weight` / `whole` of the demo's running time.
        """
        self._done += self._doing
        self._doing = weight
        if self._shown:
            line = f"{text}: {self._done / whole:.0%} done{self._left(whole)}"
            print(f"{CLEAR_LINE}lull: {line}", end="", file=sys.stderr, flush=True)

    def _left(self, whole: float) -> str:
        if not self._done:
            return ""
        took_s = time.monotonic() - self._began_s
        return f", about {spans.format_duration(took_s * (whole - self._done) / self._done)} left"

    def clear(self) -> None:
        """Erase the line from the terminal, if it was written."""
        if self._shown:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
