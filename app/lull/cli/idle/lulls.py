"""`lull why`, `lull pause` and `lull resume`: say why Lull does or does not train and test skills
on its own now, and pause or resume such work.
"""

from __future__ import annotations

from datetime import UTC, datetime

from lull.cli.shared.context import Context, plain, table
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.text import durations as spans

_SIGNS = {"open": "+", "closed": "-", "unknown": "?"}
_STATES = {"off": "Off", "closed": "Not now", "open": "Free to work", "working": "Working"}
_PRESENCE_CONDITIONS = frozenset({"input", "chat", "wake", "wait"})
"""Conditions for background work that are met once the user has gone away."""


def why(context: Context) -> None:
    """Run `lull why`: tell why Lull does or does not work in the background now."""
    context.print_result(Control(context.paths).get(routes.WHY), why_words)


def pause(context: Context) -> None:
    """Run `lull pause`: pause Lull's background work for a while."""
    wanted = {"for": context.options.length}
    context.print_result(Control(context.paths).post(routes.PAUSE, wanted), why_words)


def resume(context: Context) -> None:
    """Run `lull resume`: end a pause of Lull's background work."""
    context.print_result(Control(context.paths).post(routes.RESUME, {}), why_words)


def why_words(document: Json) -> str:
    """Describe the conditions for background work and the work that waits."""
    lines = [headline(document), *_next_line(document), ""]
    conditions = document["gates"]
    lines.append(table([(_SIGNS[one["state"]], one["name"], one["text"]) for one in conditions]))
    lines += ["", *_hints(conditions)]
    lines += [_work_words(work) for work in document["work"]] or ["No work is waiting."]
    return "\n".join(line.rstrip() for line in lines)


def _next_line(document: Json) -> list[str]:
    then = document["next"]
    if not then or (then == document["until"] and _told(then, document["because"])):
        return []
    yours = any(
        one["state"] != "open" and one["name"] in _PRESENCE_CONDITIONS for one in document["gates"]
    )
    return [f"Next: {_clock(then)}{' if you stay away' if yours else ''}."]


def _hints(conditions: list[Json]) -> list[str]:
    """Return advice for the case that no signal tells whether the user is here."""
    if not any(one["name"] == "input" and one["state"] == "unknown" for one in conditions):
        return []
    return [
        "Nothing here tells whether you are away: set idle.sleep_hours or idle.allowed_hours for "
        "hours in which Lull may work all the same, or idle.source for a file that tells.",
        "",
    ]


def _work_words(work: Json) -> str:
    minutes = max(1, round(work["left_s"] / 60))
    words = f"{plain(work['text'])}: {work['progress']:.0%} done, about {minutes} min left"
    return f"{words}. {work['why_not']}" if work["why_not"] else words


def headline(document: Json) -> str:
    """Describe in one line what Lull does in the background now and why; `lull status` prints the
    line too.
    """
    state, because = document["state"], document["because"].rstrip(".")
    words = because if state == "paused" else f"{_STATES[state]}: {because}"
    until = document["until"]
    if until and until != document["next"] and not _told(until, because):
        words += f" (until {_clock(until)})"
    return f"{words}. {_idle_words(document)}".rstrip()


def _idle_words(document: Json) -> str:
    """Say why no background work runs although it is allowed now."""
    if document["state"] != "open":
        return ""
    if not document["work"]:
        return "Nothing is to be done."
    first = document["work"][0]
    return f"{plain(first['text'])} waits: {first['why_not']}" if first["why_not"] else ""


def _told(iso: str, text: str) -> bool:
    """Whether the text already contains this time of day; both are in the service's zone."""
    return f"{datetime.fromisoformat(iso):%H:%M}" in text


def _clock(iso: str) -> str:
    return spans.format_time(datetime.fromisoformat(iso), datetime.now(UTC).astimezone())
