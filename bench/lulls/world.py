"""Simulates a year of one person at one machine: when everything happens, drawn from a seed.

Times are seconds of real time from the start of the year, so that daylight saving falls where the
person's zone puts it. What can be known of a moment is `signals.py`'s.
"""

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bench.lulls.people import Person
from bench.lulls.spans import Span, Spans, both, complement, union, without
from lull.core.calendars.event import CalendarEvent, Meaning

MINUTE, HOUR = 60.0, 3600.0


@dataclass(kw_only=True)
class World:
    person: Person
    start: datetime
    """Midnight of the first day, in the person's time zone."""
    length_s: float
    sessions: Spans = field(default_factory=list)
    """Spans in which somebody sits at the machine."""
    input: Spans = field(default_factory=list)
    """Spans of continuous keyboard or mouse input; between them the person sits still."""
    locked: Spans = field(default_factory=list)
    calls: Spans = field(default_factory=list)
    """Spans of calls and films that the operating system reports."""
    games: Spans = field(default_factory=list)
    chats: Spans = field(default_factory=list)
    """Spans of chat requests, at the machine and from other devices, each with its answer."""
    reading: Spans = field(default_factory=list)
    """Spans in which somebody at the machine reads a chat's answer and touches nothing."""
    asleep: Spans = field(default_factory=list)
    battery: Spans = field(default_factory=list)
    hot: Spans = field(default_factory=list)
    load: Spans = field(default_factory=list)
    short_of_memory: Spans = field(default_factory=list)
    events: list[CalendarEvent] = field(default_factory=list)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.person.zone)

    def seconds(self, at: datetime) -> float:
        return (at.astimezone(UTC) - self.start.astimezone(UTC)).total_seconds()

    def local(self, t: float) -> datetime:
        return (self.start.astimezone(UTC) + timedelta(seconds=t)).astimezone(self.zone)

    def busy_spans(self, kind: Meaning) -> Spans:
        return union(
            (self.seconds(e.start), self.seconds(e.end)) for e in self.events if e.kind is kind
        )

    def shows_itself(self) -> Spans:
        """Return the spans in which the user's presence is visible: input, a call, a film or a
        chat.
        """
        return union(self.input, self.calls, self.chats, within=MINUTE)

    def usable(self) -> Spans:
        """Return the spans in which Lull could work: nobody uses the machine or the model, and the
        machine is free. The user's idle wait is not subtracted.
        """
        taken = union(
            self.sessions,
            self.chats,
            self.games,
            self.asleep,
            self.battery,
            self.hot,
            self.load,
            self.short_of_memory,
            self.busy_spans(Meaning.BUSY),
        )
        return complement(taken, until=self.length_s)


def lived(person: Person, *, seed: int, days: int, first: date = date(2026, 1, 1)) -> World:
    """Generate the world of one person; the same seed gives the same world."""
    zone = ZoneInfo(person.zone)
    start = datetime.combine(first, time(), tzinfo=zone)
    end = datetime.combine(first + timedelta(days=days), time(), tzinfo=zone)
    length_s = (end.astimezone(UTC) - start.astimezone(UTC)).total_seconds()
    world = World(person=person, start=start, length_s=length_s)
    drawn = random.Random(f"{person.name} {seed}")
    for number in range(days):
        _Day(world, drawn, first + timedelta(days=number)).live()
    _tidy(world, drawn)
    # Drawn apart, so that everything else happens as it does without.
    _talk(world, random.Random(f"{person.name} {seed} talks"))
    return world


class _Day:
    def __init__(self, world: World, drawn: random.Random, day: date) -> None:
        self._world = world
        self._drawn = drawn
        self._day = day
        self._person = world.person

    def at(self, hour: float) -> float:
        """Seconds of the year at this hour on the clock; 25 is one in the night that follows."""
        wall = datetime.combine(self._day, time()) + timedelta(hours=hour)
        return self._world.seconds(wall.replace(tzinfo=self._world.zone))

    def live(self) -> None:
        bed = max(20.0, self._drawn.gauss(self._person.bedtime, self._person.bedtime_spread))
        if self._person.workdays is not None and self._day.weekday() < 5:
            if self._drawn.random() > 0.08:  # days off
                self._work(*self._person.workdays)
        else:
            self._free_day(bed)
        if self._drawn.random() < self._person.evenings:
            self._evening(bed)
        self._night(bed)
        self._machine(bed)

    # At the machine

    def _work(self, begin: float, end: float) -> None:
        at = begin + self._drawn.gauss(0.0, 0.3)
        end += self._drawn.gauss(0.0, 0.5)
        lunch = self._drawn.uniform(12.0, 13.2)
        plans = self._plans(begin + 0.5, end - 0.5, lunch)
        while at < end:
            kind, until = next((p for p in plans if p[0] <= at < p[1]), None), end
            if kind is not None:
                at = self._planned(kind)
                plans.remove(kind)
                continue
            until = min([end, at + self._drawn.expovariate(1 / 1.1) + 0.15])
            until = min([until, *(p[0] for p in plans if p[0] > at)])
            self._sits(at, until)
            at = until
            if not any(p[0] <= at < p[1] for p in plans):
                at += self._break()

    def _plans(self, begin: float, end: float, lunch: float) -> list[tuple[float, float, str]]:
        plans = [(lunch, lunch + self._drawn.uniform(0.5, 1.1), "lunch")]
        for kind, rate in (("meeting", self._person.meetings), ("call", self._person.calls)):
            for _ in range(self._poisson(rate)):
                at = round(self._drawn.uniform(begin, end) * 2) / 2
                length = self._drawn.choice((0.5, 0.5, 1.0, 1.0, 1.5))
                if all(at + length <= p[0] or p[1] <= at for p in plans):
                    plans.append((at, at + length, kind))
        return sorted(plans)

    def _planned(self, plan: tuple[float, float, str]) -> float:
        """Play one planned meeting, call or break, and return the hour at which it really ended."""
        begin, end, kind = plan
        told = kind != "lunch" and self._drawn.random() < self._person.in_calendar
        if told:
            self._tell(begin, end, Meaning.AWAY if kind == "meeting" else Meaning.BUSY)
        if kind == "meeting" and told and self._drawn.random() < self._person.cancelled:
            self._sits(begin, end)
            return end
        ended = max(begin + 0.1, end + self._drawn.gauss(0.0, 0.08))
        if kind == "call":
            self._world.calls.append((self.at(begin), self.at(ended)))
            self._sits(begin, ended, still=4.0)
        return ended

    def _tell(self, begin: float, end: float, kind: Meaning) -> None:
        start, until = self._world.local(self.at(begin)), self._world.local(self.at(end))
        if until > start:
            self._world.events.append(CalendarEvent(start=start, end=until, kind=kind))

    def _break(self) -> float:
        """Draw the length of a break in hours: mostly a coffee, sometimes an errand."""
        if self._drawn.random() < 0.75:
            return self._drawn.uniform(2.0, 12.0) / 60
        return self._drawn.uniform(12.0, 50.0) / 60

    def _free_day(self, bed: float) -> None:
        at = self._person.gets_up + abs(self._drawn.gauss(1.0, 0.8))
        while at < 18.0 and at < bed:
            at += self._drawn.expovariate(1 / 2.0)
            length = self._drawn.expovariate(1 / 0.7) + 0.1
            if at + length < 18.5:
                self._sits(at, at + length)
            at += length

    def _evening(self, bed: float) -> None:
        at, end = 19.0 + self._drawn.uniform(0.0, 1.5), bed - self._drawn.uniform(0.0, 0.8)
        while at < end:
            kind = self._drawn.random()
            if kind < self._person.games:
                until = min(end, at + self._drawn.uniform(0.7, 2.5))
                if until > at:
                    self._world.games.append((self.at(at), self.at(until)))
            elif kind < self._person.games + self._person.films:
                until = min(end, at + self._drawn.uniform(1.2, 2.4))
                if until > at:
                    self._world.calls.append((self.at(at), self.at(until)))
                    self._sits(at, until, still=60.0)
                at = until + self._drawn.uniform(0.05, 0.4)
                continue
            else:
                until = min(end, at + self._drawn.expovariate(1 / 0.8) + 0.1)
            self._sits(at, until)
            at = until + self._break()

    def _sits(self, begin: float, end: float, *, still: float = 1.0) -> None:
        """Play a time at the machine, with bursts of input and pauses for reading; `still`
        lengthens the pauses.
        """
        at, until = self.at(begin), self.at(end)
        if until - at < 30.0:
            return
        self._world.sessions.append((at, until))
        while at < until:
            burst = min(until, at + 2.0 + self._drawn.expovariate(1 / 80.0))
            self._world.input.append((at, burst))
            at = burst + self._drawn.lognormvariate(3.0, 1.2) * still
        # Whoever leaves, leaves with a last touch.
        self._world.input.append((until - 2.0, until))

    # Around it

    def _night(self, bed: float) -> None:
        if self._drawn.random() < self._person.phone_chats / 7:
            at = self.at(self._drawn.uniform(20.0, bed + 3.0))
            for _ in range(self._drawn.randint(1, 6)):
                length = self._drawn.uniform(4.0, 40.0)
                self._world.chats.append((at, at + length))
                at += length + self._drawn.uniform(20.0, 200.0)

    def _machine(self, bed: float) -> None:
        world, person, drawn = self._world, self._person, self._drawn
        if person.laptop and drawn.random() < person.closes_lid:
            begin = self.at(bed + drawn.uniform(0.0, 0.3))
            world.asleep.append((begin, begin + drawn.uniform(6.5, 9.0) * HOUR))
        if person.laptop and drawn.random() < 0.4:
            begin = self.at(drawn.uniform(8.0, 20.0))
            world.battery.append((begin, begin + drawn.uniform(0.5, 3.0) * HOUR))
        if drawn.random() < person.hot_days:
            begin = self.at(drawn.uniform(12.0, 17.0))
            world.hot.append((begin, begin + drawn.uniform(0.3, 2.0) * HOUR))
        if drawn.random() < 0.1:
            begin = self.at(drawn.uniform(9.0, 23.0))
            world.short_of_memory.append((begin, begin + drawn.uniform(0.2, 1.5) * HOUR))
        for _ in range(self._poisson(person.builds)):
            begin = self.at(drawn.uniform(9.0, 20.0))
            world.load.append((begin, begin + drawn.uniform(3.0, 20.0) * MINUTE))
        if person.backup_hour is not None:
            begin = self.at(person.backup_hour)
            world.load.append((begin, begin + drawn.uniform(10.0, 40.0) * MINUTE))

    def _poisson(self, mean: float) -> int:
        count, left = 0, self._drawn.expovariate(1.0)
        while left < mean:
            count += 1
            left += self._drawn.expovariate(1.0)
        return count


def _talk(world: World, drawn: random.Random) -> None:
    """Play conversations with the model at the machine: a question is typed, its answer comes and
    is read to the end without touching anything.
    """
    talks, typed = list[Span](), list[Span]()
    taken = union(world.calls, world.games, world.chats, world.asleep)
    for start, end in without(world.sessions, taken, until=world.length_s):
        at = start + drawn.expovariate(world.person.desk_talks / HOUR)
        while at < end:
            for _ in range(drawn.randint(1, 5)):
                asked = at + drawn.uniform(5.0, 40.0)
                answered = asked + drawn.uniform(4.0, 40.0)
                read = answered + min(600.0, drawn.lognormvariate(3.7, 0.9))
                if read + 5.0 > end:
                    break
                typed += [(at, asked), (read, read + 5.0)]
                talks.append((asked, read))
                world.chats.append((asked, answered))
                world.reading.append((answered, read))
                at = read + 5.0
            at += drawn.expovariate(world.person.desk_talks / HOUR)
    world.chats = union(world.chats)
    world.input = union(without(world.input, talks, until=world.length_s), typed)


def _tidy(world: World, drawn: random.Random) -> None:
    """Remove overlaps, and whatever lies outside the year or while the machine sleeps."""
    year = [(0.0, world.length_s)]
    world.sessions = both(union(world.sessions), year)
    # A lid is closed by somebody who has left, and opened by somebody who comes.
    world.asleep = without(both(union(world.asleep), year), world.sessions, until=world.length_s)
    world.asleep = [span for span in world.asleep if span[1] - span[0] > 10 * MINUTE]
    for name in ("input", "calls", "games", "chats", "battery", "hot", "load", "short_of_memory"):
        spans = both(union(getattr(world, name)), year)
        setattr(world, name, without(spans, world.asleep, until=world.length_s))
    world.input = both(world.input, world.sessions)
    world.locked = _locked(world, drawn)


def _locked(world: World, drawn: random.Random) -> Spans:
    """Return when the screen is locked: by hand on leaving, or by the system after minutes without
    input.
    """
    person, locked = world.person, []
    away = complement(world.sessions, until=world.length_s)
    for start, end in away:
        if start > 0 and drawn.random() < person.locks:
            locked.append((start, end))
    if person.auto_lock_min is not None:
        after_s = person.auto_lock_min * MINUTE
        awake = union(world.input, world.calls)
        gaps: list[Span] = complement(awake, until=world.length_s)
        locked += [(start + after_s, end) for start, end in gaps if end - start > after_s]
    return union(locked)
