"""`lull why`, `pause` and `resume`: one screen that says what Lull does for itself, and why."""

from __future__ import annotations

from typing import Any

from lull.cli.context import Context, short_time, table
from lull.cli.control import Control
from lull.contract import routes

Json = dict[str, Any]
_SIGNS = {"open": "+", "closed": "-", "unknown": "?"}
_STATES = {
    "off": "Off",
    "paused": "Paused",
    "closed": "Not now",
    "open": "Free to work, and nothing to do",
    "working": "Working",
}


def why(context: Context) -> None:
    context.answer(Control(context.paths).get(routes.WHY), why_words)


def pause(context: Context) -> None:
    wanted = {"for": context.options.length}
    context.answer(Control(context.paths).post(routes.PAUSE, wanted), why_words)


def resume(context: Context) -> None:
    context.answer(Control(context.paths).post(routes.RESUME, {}), why_words)


def why_words(document: Json) -> str:
    lines = [headline(document)]
    if document["next"]:
        lines.append(f"Next: {short_time(document['next'])}.")
    lines.append("")
    gates = document["gates"]
    lines.append(table([(_SIGNS[g["state"]], g["name"], g["text"]) for g in gates], ("", "", "")))
    if document["work"]:
        lines.append("")
        lines += [_work_words(work) for work in document["work"]]
    else:
        lines += ["", "No work is waiting."]
    return "\n".join(line.rstrip() for line in lines)


def _work_words(work: Json) -> str:
    minutes = max(1, round(work["left_s"] / 60))
    return f"{work['text']}: {work['progress']:.0%} done, about {minutes} min left"


def headline(document: Json) -> str:
    """Also the line of `lull status`."""
    until = f" (until {short_time(document['until'])})" if document["until"] else ""
    because = document["because"].rstrip(".")
    return f"{_STATES[document['state']]}: {because}{until}."
