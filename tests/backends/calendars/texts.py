"""Calendars as texts, for tests. Everything happens around 21 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from lull.core.calendars.feeds import BusySpan

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SPAN = BusySpan(start=NOW, end=NOW + timedelta(days=9))


def event(*lines: str) -> bytes:
    return _component("VEVENT", lines)


def zone(name: str, *lines: str, offset: str = "+0900") -> bytes:
    standard = (
        "BEGIN:STANDARD",
        "DTSTART:19700101T000000",
        f"TZOFFSETFROM:{offset}",
        f"TZOFFSETTO:{offset}",
        *lines,
        "END:STANDARD",
    )
    return _component("VTIMEZONE", (f"TZID:{name}", *standard))


def busy_table(*lines: str) -> bytes:
    return _component("VFREEBUSY", lines)


def calendar(*parts: bytes, head: str = "") -> bytes:
    first = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//a test//\r\n{head}"
    return first.encode() + b"".join(parts) + b"END:VCALENDAR\r\n"


def _component(name: str, lines: tuple[str, ...]) -> bytes:
    return "\r\n".join([f"BEGIN:{name}", *lines, f"END:{name}", ""]).encode()


MEETING = event(
    "UID:good",
    "DTSTAMP:20261101T000000Z",
    "DTSTART:20261123T100000Z",
    "DTEND:20261123T110000Z",
    "SUMMARY:Talk with the bank about the loan",
)
"""A good event; every hostile calendar holds it, and it is never lost."""
MEETING_AT = ("2026-11-23T10:00:00+00:00", "2026-11-23T11:00:00+00:00")


def daily(uid: str = "bad", **more: str) -> bytes:
    """Return a daily series from 20 November on; its lines may be replaced by name."""
    lines = {
        "UID": uid,
        "DTSTART": "20261120T080000Z",
        "DTEND": "20261120T083000Z",
        "RRULE": "FREQ=DAILY",
    } | more
    return event(*(f"{name}:{value}" for name, value in lines.items() if value))
