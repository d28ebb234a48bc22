"""A calendar feed: what is known of it, how old that is, and when it is asked again.

Decides how long the last good copy counts, what its health is called, and the next try after a
success or a failure. Where a feed may come from is `feed_address`; fetching and reading are
backends; its address is a password and is no part of a `Feed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from lull.core.calendar_event import CalendarEvent, Meaning
from lull.core.errors import LullError

EVERY_S = 30 * 60.0
"""Between two looks at a feed; servers of calendars ask their guests not to come more often."""
JITTER = 0.1
"""Each wait is so much longer or shorter by chance, so that not every machine asks at once."""
COUNTS_FOR_S = 24 * 3600.0
"""So long the last good copy counts while the feed cannot be read."""
READ_ANEW_AFTER_S = 12 * 3600.0
"""A copy was read for some days ahead; also an unchanged feed must be read again for the next."""
AHEAD = timedelta(days=9)
BEHIND = timedelta(days=1)
_FIRST_RETRY_S = 60.0
_LONGEST_WAIT_S = 24 * 3600.0


class FeedError(LullError):
    """It was answered, and the answer cannot be used. Never says the address."""

    title: ClassVar[str] = "The calendar cannot be used"


class FeedUnreachable(FeedError):
    """No answer now; it may come later. `retry_after_s` is what the server asked for, or None."""

    title: ClassVar[str] = "The calendar cannot be reached"

    def __init__(self, detail: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(detail, hint=hint)
        self.retry_after_s = retry_after_s


class What(StrEnum):
    """Of what something was left out."""

    EVENT = "event"
    SERIES = "series"
    PERIOD = "busy period"
    ZONE = "time zone"
    CALENDAR = "calendar"


class Why(StrEnum):
    """Why a part of a feed was left out; the words are for people."""

    CANCELLED = "cancelled"
    FREE = "marked as free"
    TOO_OFTEN = "repeats more often than daily"
    NO_INTERVAL = "its interval is below 1"
    RULE = "its rule cannot be read"
    NO_START = "it has no start that can be read"
    NO_END = "its end cannot be read"
    BEFORE_1970 = "it begins before 1970"
    BACKWARDS = "it ends before it starts"
    NO_LENGTH = "it has no length"
    TOO_LONG = "it lasts longer than a year"
    CUT_OFF = "it is cut off"
    TOO_BIG = "one of its lines is too long"
    UNREADABLE = "it cannot be read"
    SUPERSEDED = "a newer version of it is there"
    EXCEPTIONS = "days that a rule takes out of it are not read, so they count"
    TOO_SLOW = "working out when it happens takes too long"
    NO_TIME = "there was no time left for it"
    TOO_MANY = "there are too many of them"
    UNFINISHED = "it stops before its end"
    UNKNOWN_ZONE = "unknown, so its times are taken as local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """So many parts of one sort, left out for one reason."""

    what: What
    why: Why
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a server gave with a copy, to ask later whether it still holds. Empty: nothing."""

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a feed lies. Held only while it is read."""

    location: str = field(repr=False)
    """An address, which is a password, or the path of a file."""
    is_file: bool = False
    private: bool = False
    """Its owner says that it may lie on this machine or on a private network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    start: datetime
    """Aware, as is the end."""
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What one reading brought."""

    events: tuple[CalendarEvent, ...]
    """By start; those that touch the span, whole, and not merged."""
    dropped: tuple[Dropped, ...] = ()
    marks: Marks = field(default_factory=Marks)
    peak_mb: float = 0.0
    """What the child that parsed it used at most; 0 where it cannot be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The last good reading, as it is kept."""

    read_at: datetime
    events: tuple[CalendarEvent, ...]
    dropped: tuple[Dropped, ...] = ()
    marks: Marks = field(default_factory=Marks)


class Health(StrEnum):
    FRESH = "fresh"
    """The last try went well."""
    OLD = "old"
    """The last try failed; the copy from before still counts."""
    LOST = "lost"
    """No copy is young enough: nothing is known of this calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    id: str
    label: str
    host: str
    """Empty for a file."""
    path: str
    """Of a file, which is no secret; empty for an address."""
    means: Meaning
    private: bool
    added_at: datetime
    tried_at: datetime
    due: datetime
    """When it is read next."""
    seen_at: datetime | None = None
    """When its source last said that the copy holds."""
    failures: int = 0
    """In a row."""
    fault: Mapping[str, str] | None = None
    """Title, detail and hint of the last failure; None when the last try went well."""
    copy: Copy | None = None

    def age_s(self, now: datetime) -> float | None:
        """How old what is known is; None when nothing is."""
        if self.copy is None or self.seen_at is None:
            return None
        return max(0.0, (now - self.seen_at).total_seconds())

    def health(self, now: datetime) -> Health:
        age_s = self.age_s(now)
        if age_s is None or age_s > COUNTS_FOR_S:
            return Health.LOST
        return Health.FRESH if self.fault is None else Health.OLD

    def events(self, now: datetime) -> tuple[CalendarEvent, ...]:
        """What still counts; nothing of a copy that is too old."""
        if self.copy is None or self.health(now) is Health.LOST:
            return ()
        return self.copy.events

    def is_due(self, now: datetime) -> bool:
        """Also when the clock was set back, for then nothing it says of the past is true."""
        return now >= self.due or now < self.tried_at

    def marks(self, now: datetime) -> Marks:
        """What to ask with; nothing when the copy must be read anew in any case."""
        if self.copy is None or self.health(now) is Health.LOST:
            return Marks()
        old_s = (now - self.copy.read_at).total_seconds()
        return self.copy.marks if 0 <= old_s < READ_ANEW_AFTER_S else Marks()

    def read_well(self, read: Read | None, *, now: datetime, draw: float) -> Feed:
        """After a good try; None: unchanged. `draw` is uniform in [0, 1)."""
        copy = self.copy
        if read is not None:
            copy = Copy(read_at=now, events=read.events, dropped=read.dropped, marks=read.marks)
        due = now + timedelta(seconds=_jittered(EVERY_S, draw))
        return replace(self, copy=copy, tried_at=now, seen_at=now, due=due, failures=0, fault=None)

    def failed(self, error: LullError, *, now: datetime, draw: float) -> Feed:
        """After a bad try: soon again where it may pass, and never sooner than it was asked for."""
        wait_s = EVERY_S
        if isinstance(error, FeedUnreachable):
            wait_s = min(EVERY_S, _FIRST_RETRY_S * 2.0 ** min(self.failures, 16))
            if error.retry_after_s is not None:
                wait_s = min(_LONGEST_WAIT_S, max(wait_s, error.retry_after_s))
        due = now + timedelta(seconds=_jittered(wait_s, draw))
        return replace(
            self, tried_at=now, due=due, failures=self.failures + 1, fault=error.as_dict()
        )


def _jittered(wait_s: float, draw: float) -> float:
    return wait_s * (1 - JITTER + 2 * JITTER * draw)


def span_at(now: datetime) -> Span:
    """What is read of a feed: enough ahead for a copy that is kept, and a night that has begun."""
    return Span(start=now - BEHIND, end=now + AHEAD)
