"""The peer's policy in the same year, by its description: a tick of 60 s; a window is open in sleep
hours, while the calendar is busy, or after 30 minutes without input; a stretch of sleep hours or
calendar with less than 15 minutes left opens none; in sleep hours the user is not looked at.

It is given the same calendars and the sleep hours that the person told Lull; who told none gets
23:00 to 07:00, its own default. It looks at nothing else: no power, heat, load or calls.
"""

from collections.abc import Sequence
from typing import Final

from bench.lulls.signals import SimulatedSource
from bench.lulls.spans import Span, Spans, Track, union, without
from bench.lulls.world import World
from lull.core import hours
from lull.core.calendar_event import Meaning

TICK_S: Final = 60.0
IDLE_S: Final = 30 * 60.0
LEAST_S: Final = 15 * 60.0
DEFAULT_SLEEP: Final = ("23:00-07:00",)


def running(world: World) -> Spans:
    """When it trains."""
    source = SimulatedSource(world)
    told = Track(_told(world))
    out: Spans = []
    open_ = False
    t = 0.0
    while t < world.length_s:
        span = told.at(t)
        if source.holds("asleep", t):
            open_ = False
        elif span is not None:
            open_ = open_ or span[1] - t >= LEAST_S
        else:
            idle_s = source.at(t).input_idle_s
            open_ = isinstance(idle_s, float) and idle_s >= IDLE_S
        if open_:
            out.append((t, min(t + TICK_S, world.length_s)))
        t += TICK_S
    return without(union(out), world.asleep, until=world.length_s)


def _told(world: World) -> Spans:
    """Sleep hours and busy events, of whatever meaning."""
    lines = tuple(map(hours.parsed, world.person.sleep_hours or DEFAULT_SLEEP))
    return union(_within(world, lines), *(world.busy_spans(kind) for kind in Meaning))


def _within(world: World, lines: Sequence[hours.HoursRange]) -> list[Span]:
    spans, at = [], 0.0
    while at < world.length_s:
        now = world.local(at)
        change = hours.next_change(lines, now)
        end = world.length_s if change is None else world.seconds(change)
        if hours.inside(lines, now):
            spans.append((at, min(end, world.length_s)))
        at = end
    return spans
