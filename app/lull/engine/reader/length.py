"""Shortens exchanges (question, answer and the user's next message) to a token limit and groups
them into batches of similar length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # importing it loads MLX, which this module does not need
    from lull.engine.reader.net import EncodedExchange

MOST_TOKENS: Final = 400
"""Most tokens of one exchange, about what two slow cores read in a second; few exchanges are
longer.
"""
BATCH_TOKENS: Final = 2_000
"""Most tokens in one batch, padding included."""
MOST_TOGETHER: Final = 16
"""Most exchanges in one batch."""


def shorten_exchange(
    encoded: EncodedExchange, most: int = MOST_TOKENS
) -> tuple[EncodedExchange, tuple[int, ...]]:
    """Shorten an exchange (question, answer, the user's next message) to about `most` tokens;
    return the shortened exchange and the indices of the message's sentences that were kept.

    Question and answer are always kept. Of a long message the last and first sentences are kept,
    because there people say what they want; a sentence that is too long by itself loses its end.
    """
    spans = encoded.spans
    if len(encoded.ids) <= most:
        return encoded, tuple(range(len(spans)))
    before, behind = encoded.ids[: spans[0][0]], encoded.ids[spans[-1][1] :]
    left = max(1, most - len(before) - len(behind))
    kept: dict[int, tuple[int, int]] = {}
    for at in _from_the_ends(len(spans)):
        first, end = spans[at]
        if kept and end - first > left:
            break
        kept[at] = (first, min(end, first + left))
        left -= kept[at][1] - first
        if left <= 0:
            break
    ids, moved = list(before), []
    for at in sorted(kept):
        first, end = kept[at]
        moved.append((len(ids), len(ids) + end - first))
        ids += encoded.ids[first:end]
    return replace(encoded, ids=(*ids, *behind), spans=tuple(moved)), tuple(sorted(kept))


def batches_by_length(encoded: Sequence[EncodedExchange]) -> list[list[int]]:
    """Group indices of exchanges (question, answer, next message) into batches of similar length,
    shortest first.

    A batch has at most BATCH_TOKENS with padding and at most MOST_TOGETHER exchanges; a longer
    exchange gets its own.
    """
    out: list[list[int]] = []
    for at in sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids)):
        full = bool(out) and (len(out[-1]) + 1) * len(encoded[at].ids) > BATCH_TOKENS
        if not out or full or len(out[-1]) >= MOST_TOGETHER:
            out.append([])
        out[-1].append(at)
    return out


def _from_the_ends(n: int) -> list[int]:
    """Indices in the order last, first, last but one, second, …"""
    order = [at for pair in zip(range(n - 1, -1, -1), range(n), strict=True) for at in pair]
    return list(dict.fromkeys(order))
