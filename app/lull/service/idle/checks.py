"""Checks for `lull doctor` whether idle detection works: whether user input can be detected, the
watch for idle times runs, and the user's calendars are up to date.

No failure of these is serious: without them Lull still answers requests and only learns less.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lull.contract.json_object import Json
from lull.core.calendars.feeds import Feed, Health
from lull.core.idle.policy import IdleWindow, WindowState
from lull.core.idle.rule import ConditionName, ConditionState
from lull.core.text.coded_text import CodedText, TextDuration, coded_text, sentence
from lull.service.answers.checks import check


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
    if not watching:
        return check(
            "lulls",
            ok=False,
            text="Idle detection is not running, so Lull does none of its own work.",
            hint="`lull logs` says why. Start Lull again.",
            serious=False,
        )
    text = _state_of(window)
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


def _state_of(window: IdleWindow) -> CodedText:
    because = sentence(window.because)
    match window.state:
        case WindowState.OFF:
            return coded_text("lulls-off", "off: %1", because)
        case WindowState.PAUSED:
            return coded_text("lulls-paused", "paused: %1", because)
        case WindowState.CLOSED:
            return coded_text("lulls-closed", "closed: %1", because)
        case WindowState.OPEN:
            return coded_text("lulls-open", "open: %1", because)
        case WindowState.WORKING:
            return coded_text("lulls-working", "working: %1", because)


def calendars(feeds: Sequence[Feed], now: datetime) -> Json:
    """Check for `lull doctor` that all of the user's calendar feeds were read recently; describe
    the worst one and count the others.
    """
    if not feeds:
        return check("calendars", ok=True, text="No calendar has been added.")
    bad = [feed for feed in feeds if feed.health(now) is not Health.FRESH]
    if not bad:
        return check("calendars", ok=True, text=f"{len(feeds)} added, all up to date.")
    first = min(bad, key=lambda feed: feed.health(now) is not Health.LOST)
    text = _state(first, now)
    if detail := (first.fault or {}).get("detail"):
        text = coded_text("calendar-why", "%1 %2", text, sentence(detail))
    if len(bad) > 1:
        text = coded_text("calendars-more", "%1 And %2 more.", text, len(bad) - 1)
    return check(
        "calendars",
        ok=False,
        text=text,
        hint=(first.fault or {}).get("hint") or "`lull calendar list` says more.",
        serious=False,
    )


def _state(feed: Feed, now: datetime) -> CodedText:
    age_s = feed.age_s(now)
    if age_s is None:
        words = "“%1” has never been read."
        return coded_text("doctor-calendar-never-read", words, feed.label)
    age = TextDuration(age_s)
    if feed.health(now) is Health.LOST:
        words = "“%1” was read %2 ago, which is too old to be used."
        return coded_text("doctor-calendar-too-old", words, feed.label, age)
    words = "“%1” was read %2 ago, and that copy is still used."
    return coded_text("doctor-calendar-old", words, feed.label, age)
