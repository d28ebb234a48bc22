"""Checks for `lull doctor` whether idle detection works: its signals, its watch and the calendars.

No failure of these is serious: without them Lull still answers requests and only learns less.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lull.core import durations as spans
from lull.core.calendars.feeds import Feed, Health
from lull.core.coded_text import CodedText
from lull.core.idle.policy import IdleWindow, WindowState
from lull.core.idle.rule import ConditionName, ConditionState
from lull.service.control.checks import Json, check


def idle_source(window: IdleWindow) -> Json:
    """Check for `lull doctor` whether the user's keyboard and mouse input can be detected."""
    condition = next(one for one in window.conditions if one.name is ConditionName.INPUT)
    text = condition.text
    by_hours_alone = isinstance(text, CodedText) and text.code == "input-unknown-set-hours"
    if condition.state is ConditionState.UNKNOWN or by_hours_alone:
        return check(
            "idle source",
            ok=False,
            text=condition.text,
            hint="Enter “My sleep hours” or “Work only in these hours” in the settings, so that "
            "Lull may work then all the same (idle.sleep_hours, idle.allowed_hours), or a "
            "file that reports whether you are there (idle.source).",
            serious=False,
        )
    return check("idle source", ok=True, text=condition.text)


def lulls(window: IdleWindow, *, watching: bool) -> Json:
    """Check for `lull doctor` that the watch for idle times runs and that the configured hours
    leave time for background work. `watching` says whether the watch runs.
    """
    text = f"{window.state.value}: {window.because}"
    if not watching:
        text = "Idle detection is not running, so Lull does none of its own work."
        return check(
            "lulls",
            ok=False,
            text=text,
            hint="`lull logs` says why. Start Lull again.",
            serious=False,
        )
    hours = next(
        condition for condition in window.conditions if condition.name is ConditionName.HOURS
    )
    if hours.forbids_work and hours.until is None:
        hint = (
            "Look at the allowed and blocked hours in the settings (idle.allowed_hours, "
            "idle.blocked_hours): together they leave no time."
        )
        return check("lulls", ok=False, text=text, hint=hint, serious=False)
    hint = (
        "Turn on “Work while I'm away” in the settings (idle.enabled)."
        if window.state is WindowState.OFF
        else ""
    )
    return check("lulls", ok=True, text=text, hint=hint)


def calendars(feeds: Sequence[Feed], now: datetime) -> Json:
    """Check that all calendar feeds are fresh; describes the worst one and counts the others."""
    if not feeds:
        return check("calendars", ok=True, text="No calendar has been added.")
    bad = [feed for feed in feeds if feed.health(now) is not Health.FRESH]
    if not bad:
        return check("calendars", ok=True, text=f"{len(feeds)} added, all up to date.")
    first = min(bad, key=lambda feed: feed.health(now) is not Health.LOST)
    more = f" And {len(bad) - 1} more." if len(bad) > 1 else ""
    return check(
        "calendars",
        ok=False,
        text=f"“{first.label}” {_state(first, now)}.{_why(first)}{more}",
        hint=(first.fault or {}).get("hint") or "`lull calendar list` says more.",
        serious=False,
    )


def _state(feed: Feed, now: datetime) -> str:
    age_s = feed.age_s(now)
    if age_s is None:
        return "has never been read"
    age = spans.format_duration(age_s)
    if feed.health(now) is Health.LOST:
        return f"was read {age} ago, which is too old to be used"
    return f"was read {age} ago, and that copy is still used"


def _why(feed: Feed) -> str:
    detail = (feed.fault or {}).get("detail")
    return f" {detail}" if detail else ""
