"""Exchanges within what can be read in a moment, and which of them are read together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # it stands beside the network, and nothing here needs MLX
    from lull.engine.reader.net import Encoded

MOST_TOKENS: Final = 400
"""Of one exchange: what two slow cores read in a second. Hardly any message is longer."""
BATCH_TOKENS: Final = 2_000
"""Read side by side, padding included."""
MOST_TOGETHER: Final = 16


def within(encoded: Encoded, most: int = MOST_TOKENS) -> tuple[Encoded, tuple[int, ...]]:
    """The exchange in at most so many tokens, and which of its sentences are left, in order.

    What was asked and answered stays. Of a long message the last and the first sentences stay, for
    there people say what they want; one that is too long for itself loses its end.
    """
    spans = encoded.spans
    if len(encoded.ids) <= most:
        return encoded, tuple(range(len(spans)))
    before, behind = encoded.ids[: spans[0][0]], encoded.ids[spans[-1][1] :]
    room = max(1, most - len(before) - len(behind))
    kept: dict[int, tuple[int, int]] = {}
    for at in _from_the_ends(len(spans)):
        first, end = spans[at]
        if kept and end - first > room:
            break
        kept[at] = (first, min(end, first + room))
        room -= kept[at][1] - first
        if room <= 0:
            break
    ids, moved = list(before), []
    for at in sorted(kept):
        first, end = kept[at]
        moved.append((len(ids), len(ids) + end - first))
        ids += encoded.ids[first:end]
    return replace(encoded, ids=(*ids, *behind), spans=tuple(moved)), tuple(sorted(kept))


def together(encoded: Sequence[Encoded]) -> list[list[int]]:
    """Indices of like length side by side, within BATCH_TOKENS, the short ones first."""
    out: list[list[int]] = []
    for at in sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids)):
        full = bool(out) and (len(out[-1]) + 1) * len(encoded[at].ids) > BATCH_TOKENS
        if not out or full or len(out[-1]) >= MOST_TOGETHER:
            out.append([])
        out[-1].append(at)
    return out


def _from_the_ends(n: int) -> list[int]:
    """The last, the first, the last but one, the second, …"""
    order = [at for pair in zip(range(n - 1, -1, -1), range(n), strict=True) for at in pair]
    return list(dict.fromkeys(order))
