"""Tests of shortening long exchanges for the reader, and of batching exchanges by length."""

from __future__ import annotations

from dataclasses import dataclass

from lull.engine.reader.length import (
    BATCH_TOKENS,
    MOST_TOGETHER,
    batches_by_length,
    shorten_exchange,
)


@dataclass(frozen=True)
class Encoded:
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


def encoded(*sentences: int, before: int = 10, behind: int = 3) -> Encoded:
    """Return an encoded exchange with sentences of these lengths; each token id is its position."""
    spans, at = [], before
    for length in sentences:
        spans.append((at, at + length))
        at += length
    return Encoded(tuple(range(at + behind)), tuple(spans))


def test_what_fits_stays_as_it_is() -> None:
    one = encoded(5, 6)
    assert shorten_exchange(one, 24) == (one, (0, 1))  # type: ignore[arg-type]


def test_of_a_long_message_the_ends_stay_with_what_was_asked() -> None:
    one = encoded(5, 5, 5, 5, 5)
    cut, kept = shorten_exchange(one, 30)  # type: ignore[arg-type]
    assert kept == (0, 3, 4)
    assert len(cut.ids) == 28
    assert cut.ids[:10] == one.ids[:10]
    assert cut.ids[-3:] == one.ids[-3:]
    assert [cut.ids[a:b] for a, b in cut.spans] == [one.ids[a:b] for a, b in _of(one, kept)]


def _of(one: Encoded, kept: tuple[int, ...]) -> list[tuple[int, int]]:
    return [one.spans[at] for at in kept]


def test_a_sentence_too_long_for_itself_loses_its_end() -> None:
    cut, kept = shorten_exchange(encoded(100), 30)  # type: ignore[arg-type]
    assert kept == (0,)
    assert len(cut.ids) == 30
    assert cut.spans == ((10, 27),)


def test_like_lengths_are_read_together_and_each_once() -> None:
    many = [encoded(n) for n in (5, 380, 6, 370, 7) + (4,) * 40]
    groups = batches_by_length(many)  # type: ignore[arg-type]
    assert sorted(at for group in groups for at in group) == list(range(len(many)))
    for group in groups:
        assert len(group) <= MOST_TOGETHER
        assert len(group) * max(len(many[at].ids) for at in group) <= BATCH_TOKENS
