"""Operations on time spans: sorted, disjoint (start, end) pairs in seconds from the start of the
year.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

Span = tuple[float, float]
Spans = list[Span]


def union(*many: Iterable[Span], within: float = 0.0) -> Spans:
    """Merge span lists into one; spans at most `within` seconds apart are joined."""
    out: Spans = []
    for start, end in sorted(span for spans in many for span in spans if span[1] > span[0]):
        if out and start <= out[-1][1] + within:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def both(one: Spans, other: Spans) -> Spans:
    out: Spans = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            out.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return out


def without(one: Spans, other: Spans, *, until: float) -> Spans:
    return both(one, complement(other, until=until))


def complement(spans: Spans, *, until: float) -> Spans:
    out: Spans = []
    at = 0.0
    for start, end in spans:
        if start > at:
            out.append((at, start))
        at = max(at, end)
    if at < until:
        out.append((at, until))
    return out


def total(spans: Iterable[Span]) -> float:
    return sum(end - start for start, end in spans)


def by_length(spans: Spans, *, least: float, most: float = float("inf")) -> Spans:
    return [(start, end) for start, end in spans if least <= end - start < most]


class Track:
    """Looks up quickly which span of a list contains a given time."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self._starts = [start for start, _ in spans]

    def at(self, t: float) -> Span | None:
        """Return the span that contains `t`, or None."""
        i = bisect_right(self._starts, t) - 1
        return self.spans[i] if i >= 0 and t < self.spans[i][1] else None

    def before(self, t: float) -> Span | None:
        """Return the last span that began at or before `t`, or None."""
        i = bisect_right(self._starts, t) - 1
        return self.spans[i] if i >= 0 else None

    def edges(self) -> Iterator[float]:
        for span in self.spans:
            yield from span
