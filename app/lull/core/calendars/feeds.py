"""Defines a calendar feed (an iCalendar address or file) with its last copy, and decides how long
the copy counts and when the feed is fetched next.

Decides for how long the last good copy counts, whether the feed is fresh, old or lost, and when to
try again after a success or a failure. The feed's address is a password and not part of a `Feed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.errors import LullError

FEED_INTERVAL_S = 30 * 60.0
"""Seconds between two fetches of a feed; calendar servers ask clients not to come more often."""
JITTER_SHARE = 0.1
"""Share by which each wait between fetches is randomly longer or shorter, so that not all machines
fetch at once.
"""
COPY_COUNTS_FOR_S = 24 * 3600.0
"""How long a feed's last good copy counts while the feed cannot be read, in seconds."""
REREAD_AFTER_S = 12 * 3600.0
"""Age in seconds at which a feed is parsed again even if unchanged, because a copy covers only some
days ahead.
"""
READ_AHEAD = timedelta(days=9)
READ_BEHIND = timedelta(days=1)
_FIRST_RETRY_S = 60.0
_LONGEST_WAIT_S = 24 * 3600.0


class FeedError(LullError):
    """Raised when a calendar cannot be used because its address, or what its server or file
    returned, is not usable. The message never contains the address.
    """

    title: ClassVar[str] = "The calendar cannot be used"


class FeedUnreachable(FeedError):
    """Raised when a calendar's server or file cannot be reached now. `retry_after_s`: the seconds
    that the server asked Lull to wait, or None.
    """

    title: ClassVar[str] = "The calendar cannot be reached"

    def __init__(self, detail: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(detail, hint=hint)
        self.retry_after_s = retry_after_s


class EntryKind(StrEnum):
    """The kind of a calendar entry (event, recurring series, time zone, …) that was left out when a
    feed was read.
    """

    EVENT = "event"
    SERIES = "series"
    PERIOD = "busy period"
    ZONE = "time zone"
    CALENDAR = "calendar"


class OmissionReason(StrEnum):
    """Why an entry of a calendar feed was left out when the feed was read, in words for people."""

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
class OmittedEntries:
    """How many entries of one kind (`what`) were left out of a calendar feed for one reason
    (`why`).
    """

    what: EntryKind
    why: OmissionReason
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """HTTP cache validators (ETag, Last-Modified) that came with a calendar feed's copy; all empty
    if the server gave none.
    """

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSource:
    """Where a calendar feed is fetched from: a web address or a file. Kept in memory only while the
    feed is read.
    """

    location: str = field(repr=False)
    """The feed's web address, which is kept secret like a password, or the path of a file."""
    is_file: bool = False
    private: bool = False
    """Whether the owner allows the feed's server to be on this machine or in a private network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusySpan:
    """A span of time in which a calendar says that the user is busy."""

    start: datetime
    """Start of the busy time, timezone-aware, as is `end`."""
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedReading:
    """The result of fetching and parsing a calendar feed once: its events, the entries left out,
    and the HTTP cache validators.
    """

    events: tuple[CalendarEvent, ...]
    """Busy events that overlap the time span that was read, by start; uncut and not merged."""
    dropped: tuple[OmittedEntries, ...] = ()
    marks: Validators = field(default_factory=Validators)
    peak_mb: float = 0.0
    """Peak memory of the child process that parsed the feed, in MB; 0 if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedCopy:
    """The last good copy of a calendar feed, as it is stored: when it was fetched, its events, and
    the entries that were left out.
    """

    read_at: datetime
    events: tuple[CalendarEvent, ...]
    dropped: tuple[OmittedEntries, ...] = ()
    marks: Validators = field(default_factory=Validators)


class Health(StrEnum):
    """How recent Lull's copy of a calendar feed is."""

    FRESH = "fresh"
    """The last fetch succeeded."""
    OLD = "old"
    """The last fetch failed, but the previous copy still counts."""
    LOST = "lost"
    """No copy of the feed is recent enough, so nothing is known of this calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A calendar that the user has added, and when it was and will be fetched."""

    id: str
    label: str
    host: str
    """Host of the feed's address; empty for a file."""
    path: str
    """The path of a file, which is not secret; empty for an address."""
    means: Meaning
    private: bool
    added_at: datetime
    tried_at: datetime
    due: datetime
    """When the feed is fetched next."""
    seen_at: datetime | None = None
    """When the feed's source last confirmed that the copy is current."""
    failures: int = 0
    """Number of consecutive failed fetches."""
    fault: Mapping[str, str] | None = None
    """Title, detail and hint of the last failure; None if the last fetch succeeded."""
    copy: FeedCopy | None = None

    def age_s(self, now: datetime) -> float | None:
        """Age in seconds of the last good copy of this calendar feed; None without a copy."""
        if self.copy is None or self.seen_at is None:
            return None
        return max(0.0, (now - self.seen_at).total_seconds())

    def health(self, now: datetime) -> Health:
        """Return how recent Lull's copy of the calendar is."""
        age_s = self.age_s(now)
        if age_s is None or age_s > COPY_COUNTS_FOR_S:
            return Health.LOST
        return Health.FRESH if self.fault is None else Health.OLD

    def events(self, now: datetime) -> tuple[CalendarEvent, ...]:
        """Return the events of the calendar feed's last copy; none if that copy is too old to be
        trusted.
        """
        if self.copy is None or self.health(now) is Health.LOST:
            return ()
        return self.copy.events

    def is_due(self, now: datetime) -> bool:
        """Whether to fetch the calendar feed now. It is also due after the clock was set back,
        because the stored times then mean nothing.
        """
        return now >= self.due or now < self.tried_at

    def cache_validators(self, now: datetime) -> Validators:
        """Return the HTTP cache validators (ETag, Last-Modified) to send when fetching the calendar
        feed, so that an unchanged feed is not sent again; empty if it must be fetched in full.
        """
        if self.copy is None or self.health(now) is Health.LOST:
            return Validators()
        old_s = (now - self.copy.read_at).total_seconds()
        return self.copy.marks if 0 <= old_s < REREAD_AFTER_S else Validators()

    def after_success(self, read: FeedReading | None, *, now: datetime, draw: float) -> Feed:
        """Return the calendar feed's record after a successful fetch. `read` is the result, None if
        the feed is unchanged; `draw` is a uniform random number in [0, 1) that varies the time of
        the next fetch.
        """
        copy = self.copy
        if read is not None:
            copy = FeedCopy(read_at=now, events=read.events, dropped=read.dropped, marks=read.marks)
        due = now + timedelta(seconds=_jittered(FEED_INTERVAL_S, draw))
        return replace(self, copy=copy, tried_at=now, seen_at=now, due=due, failures=0, fault=None)

    def after_failure(self, error: LullError, *, now: datetime, draw: float) -> Feed:
        """Return the feed's record after a failed fetch, with the time of the next try: soon if the
        failure may be temporary, but not before the time that the server asked to wait for. `draw`
        is a uniform random number in [0, 1) that varies that time.
        """
        wait_s = FEED_INTERVAL_S
        if isinstance(error, FeedUnreachable):
            wait_s = min(FEED_INTERVAL_S, _FIRST_RETRY_S * 2.0 ** min(self.failures, 16))
            if error.retry_after_s is not None:
                wait_s = min(_LONGEST_WAIT_S, max(wait_s, error.retry_after_s))
        due = now + timedelta(seconds=_jittered(wait_s, draw))
        return replace(
            self, tried_at=now, due=due, failures=self.failures + 1, fault=error.as_dict()
        )


def _jittered(wait_s: float, draw: float) -> float:
    return wait_s * (1 - JITTER_SHARE + 2 * JITTER_SHARE * draw)


def span_at(now: datetime) -> BusySpan:
    """Return the span of time whose events are taken from a calendar feed: some days ahead, and one
    day back, so that the night under way is included.
    """
    return BusySpan(start=now - READ_BEHIND, end=now + READ_AHEAD)
