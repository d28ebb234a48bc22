"""Sums up Lull's status for the tray icon and the window: one line of text and one shape of the
icon.

All functions are pure functions of the state and the time. The line is computed anew every second,
so that it never announces a time that has passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lull.contract.json_object import Json
from lull.core.idle.pausing import FOR_EVER
from lull.desktop.language.words import (
    clock,
    length,
    parsed,
    percent,
    skill_title,
    time_of_day,
    tr,
    translated,
)
from lull.desktop.service.state import AppState, Phase, Subject
from lull.desktop.widgets.icons import TrayShape
from lull.desktop.widgets.text.long_text import beginning

MOST_IN_A_LINE: Final = 60
"""Most characters of a skill's title in the one line of the tray."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrayStatus:
    """What the tray icon shows of Lull's status: a line of text, the icon's shape, and values that
    decide what the menu offers.
    """

    line: str
    shape: TrayShape
    proposals: int = 0
    address: str = ""
    paused: bool = False
    running: bool = False
    learns: bool = False
    """Whether the service runs and is not switched off, so that it may learn."""
    tests: bool = False
    """Whether a proposed skill is tested now because the user asked for it."""


def tray_status(state: AppState, now: datetime) -> TrayStatus:
    """Return what the tray shows about the service: a line of text, an icon and the address."""
    if state.phase is not Phase.LIVE:
        return TrayStatus(line=state.down.line, shape=TrayShape.OFF)
    status, learning = state.status, state.learning
    address = str(status.get("address") or "")
    if not status.get("enabled", True):
        line = tr("Lull is off: requests go straight to Ollama")
        return TrayStatus(line=line, shape=TrayShape.OFF, address=address, running=True)
    count = int(status.get("skills", {}).get("proposals", 0))
    tested = under_test(state) if learning.get("state") in ("open", "closed") else None
    shape = shape_of(status, learning, count)
    if tested is not None and shape is not TrayShape.ERROR:
        shape = TrayShape.TRAINING
    return TrayStatus(
        line=_testing(tested) if tested else line_of(learning, state.value(Subject.RUNS), now),
        shape=shape,
        proposals=count,
        address=address,
        paused=learning.get("state") == "paused",
        running=True,
        learns=True,
        tests=tested is not None,
    )


def under_test(state: AppState) -> Json | None:
    """Return the proposed skill that is tested now; None if none is."""
    return next((one for one in state.proposals if one.get("testing")), None)


def _testing(proposal: Json) -> str:
    evidence = proposal.get("evidence") or {}
    done, most = evidence.get("pairs", 0), evidence.get("most_pairs", 0)
    title = beginning(skill_title(proposal["name"]), MOST_IN_A_LINE)
    return tr("Testing “%1”: %2 of at most %3", title, done, most)


def shape_of(status: Json, learning: Json, proposals: int) -> TrayShape:
    """Return the shape of the tray icon for the most important part of Lull's status.

    That is, in this order: a problem, a pause, work in progress, proposals to review, or nothing.
    """
    if status.get("problems"):
        return TrayShape.ERROR
    state = learning.get("state")
    if state == "paused":
        return TrayShape.PAUSED
    if state == "working":
        return TrayShape.TRAINING
    return TrayShape.REVIEW if proposals else TrayShape.IDLE


def line_of(learning: Json, runs: Json, now: datetime) -> str:
    """Describe in one line whether background work is paused, under way or waiting."""
    match learning.get("state"):
        case "paused":
            return _paused(parsed(learning.get("until")), now)
        case "off":
            return tr("Learning is off")
        case "working":
            return _working(learning, runs)
        case "open":
            return _open(learning)
        case "closed":
            return _closed(learning, now)
    return tr("Running")


def _paused(until: datetime | None, now: datetime) -> str:
    if until is None or until.year >= FOR_EVER.year:
        return tr("Paused until you resume")
    if until <= now:
        return tr("The pause is over")
    return tr("Paused until %1", time_of_day(until, now))


def _working(learning: Json, runs: Json) -> str:
    work = next(iter(learning.get("work") or ()), None)
    run = next((r for r in runs.get("runs") or () if r.get("status") == "training"), None)
    if work is None:
        return tr("Working")
    left = length(float(work.get("left_s") or 0))
    if run is not None and run.get("of") and work.get("kind") == "step":
        return tr("Training, step %1 of %2, %3 left", run["steps"], run["of"], left)
    share = percent(float(work.get("progress") or 0))
    return tr("%1, %2 done, %3 left", translated(work), share, left)


def _open(learning: Json) -> str:
    waiting = [work for work in learning.get("work") or () if work.get("why_not")]
    if not waiting:
        return tr("Idle: nothing to do")
    return tr("Ready: %1", translated(waiting[0], "why_not").rstrip("."))


def _closed(learning: Json, now: datetime) -> str:
    then = parsed(learning.get("next"))
    because = translated(learning, "because").rstrip(".")
    if str(learning.get("because_code")).startswith("answer-"):
        return because
    if then is not None and then > now:
        return tr("Waiting until you're away (about %1)", clock(learning["next"], now))
    # Leave out the seconds after the colon: here they would be outdated at once.
    because = because.split(": ")[0]
    if because.count("(") > because.count(")"):  # the colon was within brackets
        because = because.rsplit(" (", 1)[0]
    # That the user is here is said by the condition that is not met.
    waits = learning.get("because_code") in ("waiting", "input-recent")
    waits = waits or because.startswith("Starts after")
    if waits or not because:
        return tr("Waiting until you're away")
    return tr("Waiting: %1", because)


def blocks_work(condition: Json) -> bool:
    """Whether a condition for background work, such as mains power, keeps Lull from working now.

    A condition does so if it is not met; the condition about input also if its state is unknown.
    """
    unknown_input = condition["state"] == "unknown" and condition["name"] == "input"
    return bool(condition["state"] == "closed" or unknown_input)
