"""MetaClaw's idle policy, from its description, on the same simulated year: a window opens in sleep
hours, during calendar events or after 30 minutes without input, checked every 60 s.

It is given the same calendars and the sleep hours that the person told Lull; who told none gets
23:00 to 07:00, its own default. It looks at nothing else: no power, heat, load or calls.
"""

from collections.abc import Sequence
from typing import Final

from bench.lulls.signals import SimulatedSource
from bench.lulls.spans import Span, Spans, Track, union, without
from bench.lulls.world import World
from lull.core.calendars.event import Meaning
from lull.core.idle import hours

TICK_S: Final = 60.0
IDLE_S: Final = 30 * 60.0
LEAST_S: Final = 15 * 60.0
DEFAULT_SLEEP: Final = ("23:00-07:00",)


def running(world: World) -> Spans:
    """Return the stretches of time in which MetaClaw's policy would train."""
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
    """Return the spans of sleep hours and calendar events, of whatever meaning."""
    lines = tuple(map(hours.parse_hours, world.person.sleep_hours or DEFAULT_SLEEP))
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
