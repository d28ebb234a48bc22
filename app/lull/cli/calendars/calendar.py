"""`lull calendar`: adds and removes calendar feeds through the service, and tests a feed without
the service.

Whoever knows a feed's URL can read the calendar, and every program on the machine can read a
running program's arguments. So a command that was given a URL starts itself again and passes the
URL on standard input.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from datetime import datetime
from pathlib import Path

from lull.cli.shared.context import Context, plain, short_time, table
from lull.cli.shared.control import Control
from lull.cli.shared.showing import reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotRunning, UsageError

ON_STDIN = "-"
_ADDRESS_LIMIT = 8192
"""Longest address read, in characters; less than a pipe can buffer."""


def calendar(context: Context) -> None:
    """Run `lull calendar`: list, add, test and remove the calendars that say when the
    user is busy.
    """
    action = context.options.action or "list"
    match action:
        case "list":
            context.print_result(_listed(context), _list_words)
        case "remove":
            _remove(context)
        case "add":
            done = Control(context.paths).post(
                routes.CALENDARS, {**_wanted(context), "label": context.options.label}
            )
            context.print_result(done, _added_words)
        case "test":
            context.print_result(_test(context), lambda read: _test_words(context, read))


def _remove(context: Context) -> None:
    path = routes.CALENDAR_REMOVE
    done = Control(context.paths).post(path, {"calendar": context.options.calendar})
    context.print_result(done, lambda said: f"Removed {said['removed']}.{_problem_words(said)}")


def _listed(context: Context) -> Json:
    """Return the calendar feeds, from the service if one runs, else from Lull's files."""
    from lull.service.calendars.views import feed_view
    from lull.service.wiring.calendars import system_clock
    from lull.store.calendars.feeds import Feeds

    try:
        return Control(context.paths).get(routes.CALENDARS)
    except NotRunning:
        if not context.paths.database.exists():
            return {"calendars": []}
    now = system_clock().now()
    with context.open_stores() as stores:
        feeds = Feeds(stores.database).all()
    return {"calendars": [feed_view(feed, now) for feed in feeds]}


def _test(context: Context) -> Json:
    from lull.core.calendars.event import Meaning
    from lull.service.calendars.requests import days_of, source_of
    from lull.service.wiring.calendars import feed_reader, system_clock, try_feed

    wanted, reader = _wanted(context), feed_reader()
    source, days = source_of(wanted, reader.is_address), days_of({"days": context.options.days})
    means = Meaning(context.options.means)
    return asyncio.run(try_feed(reader, source, means=means, days=days, clock=system_clock()))


def _wanted(context: Context) -> Json:
    options = context.options
    location = options.location
    if location == ON_STDIN:
        location = _asked_for()
    elif "://" in location:
        _out_of_sight(location)
    if "://" not in location:
        location = str(Path(location).expanduser().absolute())
    return {"location": location, "means": options.means, "private": options.private}


def _asked_for() -> str:
    """Read a calendar feed's URL from stdin, without echo at a terminal. Raises UsageError."""
    if sys.stdin is not None and sys.stdin.isatty():
        given = getpass.getpass("Address of the calendar: ")
    else:
        given = sys.stdin.readline(_ADDRESS_LIMIT) if sys.stdin is not None else ""
    if not given.strip():
        raise UsageError("There is no address on standard input.")
    return given.strip()


def _out_of_sight(address: str) -> None:
    """Replace this process by one that has the calendar feed's URL on stdin, not in its arguments.

    Returns, having done nothing, when the URL is too long or not among the arguments, or outside
    POSIX.
    """
    if os.name != "posix" or address not in sys.orig_argv or len(address) > _ADDRESS_LIMIT:
        return
    reading, writing = os.pipe()
    os.write(writing, address.encode() + b"\n")
    os.close(writing)
    os.dup2(reading, 0)
    words = [ON_STDIN if word == address else word for word in sys.orig_argv]
    os.execv(sys.executable, words)


# For people


def _list_words(page: Json) -> str:
    if not page["calendars"]:
        return "No calendars. `lull calendar add URL --means away` follows one."
    rows = [
        (
            one["id"],
            one["label"],
            one["means"],
            one["health"],
            _age(one["age_s"]),
            one["ahead"],
            one["address"],
        )
        for one in page["calendars"]
    ]
    lines = [table(rows, ("ID", "NAME", "BUSY MEANS", "HEALTH", "AGE", "AHEAD", "ADDRESS"))]
    for one in page["calendars"]:
        lines += [f"{plain(one['label'])}:{_problem_words(one)}"] if one["problem"] else []
        lines += [f"{plain(one['label'])}: {text}" for text in _dropped_lines(one["dropped"])]
    return "\n".join(lines)


def _added_words(done: Json) -> str:
    one = done["calendar"]
    means = "learn then" if one["means"] == "away" else "do not learn then"
    lines = [
        f"Added {plain(one['label'])} as {one['id']}: busy there means {one['means']}, {means}.",
        f"{_counted(done['events'])} in the coming 7 days.",
        *_dropped_lines(done["dropped"]),
    ]
    return "\n".join(lines)


def _test_words(context: Context, read: Json) -> str:
    days = context.options.days
    lines = [_event_line(event) for event in read["events"]]
    lines.append(
        f"{_counted(read['events'])} in the coming {days} day{'s' * (days > 1)}, in local time;"
        f" read in {read['took_s']:.1f} s. Nothing was saved."
    )
    return "\n".join([*lines, *_dropped_lines(read["dropped"])])


def _event_line(event: Json) -> str:
    start, end = (datetime.fromisoformat(event[name]).astimezone() for name in ("start", "end"))
    if (end - start).total_seconds() % 86400 == 0 and start.hour == start.minute == 0:
        last = short_time(event["end"])[:10] if (end - start).days > 1 else ""
        until = f" until {last}, 00:00" if last else ""
        return f"{start:%a %Y-%m-%d}  all day{until}  {event['kind']}"
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%a %Y-%m-%d %H:%M}"
    return f"{start:%a %Y-%m-%d}  {start:%H:%M}–{until}  {event['kind']}"


def _counted(events: list[Json]) -> str:
    return "1 busy stretch" if len(events) == 1 else f"{len(events)} busy stretches"


def _dropped_lines(dropped: list[Json]) -> list[str]:
    return [f"left out: {one['n']} × {one['what']}: {one['why']}" for one in dropped]


def _problem_words(said: Json) -> str:
    problem = said["problem"]
    return "" if problem is None else reveal_hidden(f" {problem['detail']} ({problem['hint']})")


def _age(age_s: float | None) -> str:
    if age_s is None:
        return "-"
    if age_s < 5400:
        return f"{round(age_s / 60)} min"
    return f"{round(age_s / 3600)} h"
