"""Tests of sending an answer in pieces: whole characters only, and no part of a stop string."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from lull.engine.text import AnswerText, Detokenizer, StopStrings

TEXT = "naïve 日本 👩‍👩‍👧 €5 �!"


def decode_bytes(ids: Sequence[int]) -> str:
    return bytes(ids).decode("utf-8", "replace")


def decode_words(ids: Sequence[int]) -> str:
    """Decode as sentence-piece tokenizers do: a space before each word, none at the start."""
    return " ".join(f"w{number}" for number in ids)


def test_characters_are_never_torn() -> None:
    detokenizer = Detokenizer(decode_bytes)
    pieces = [detokenizer.add(byte) for byte in TEXT.encode()]
    assert "".join(pieces) + detokenizer.rest() == TEXT
    for piece, byte in zip(pieces, TEXT.encode(), strict=True):
        assert "�" not in piece or byte in "�!".encode()


def test_bytes_that_are_no_text_come_out_as_the_whole_would() -> None:
    for raw in (b"a\xff\xfe\xe2\x82b\xf0\x9f\x91\x8b\xc3", b"\x80" * 9 + b"ok", b"\xe2\x82"):
        detokenizer = Detokenizer(decode_bytes)
        pieces = [detokenizer.add(byte) for byte in raw]
        assert "".join(pieces) + detokenizer.rest() == decode_bytes(raw)


def test_spaces_between_words_survive_the_cutting() -> None:
    detokenizer = Detokenizer(decode_words)
    pieces = [detokenizer.add(number) for number in range(5)]
    assert pieces == ["w0", " w1", " w2", " w3", " w4"]


STOPPING: list[tuple[str, tuple[str, ...], str]] = [
    ("one END two", ("END",), "one "),
    ("one ENd two", ("END",), "one ENd two"),
    ("aaab", ("aab",), "a"),
    ("one E", ("END",), "one E"),
    ("x\n\ny", ("\n\n", "y"), "x"),
    ("abc", ("",), "abc"),
]


def test_nothing_of_a_stop_string_is_sent(subtests: pytest.Subtests) -> None:
    for cut, (text, stops, expected) in product([1, 2, 3, 5], STOPPING):
        with subtests.test(cut=cut, text=text, stops=stops, expected=expected):
            strings = StopStrings(stops)
            sent = ""
            for start in range(0, len(text), cut):
                sent += strings.add(text[start : start + cut])
                if strings.stopped:
                    break
            assert sent + strings.rest() == expected


def test_a_stop_string_in_held_back_text_still_stops() -> None:
    answer = AnswerText(decode_bytes, ("€",))
    sent = "".join(answer.add(byte) for byte in "5 €".encode())
    assert sent + answer.rest() == "5 "
    assert answer.stopped
