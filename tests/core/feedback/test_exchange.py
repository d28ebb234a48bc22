"""Tests of splitting a message into sentences without loss, and cutting it for a reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.exchange import (
    ANSWER_HEAD_CHARS,
    ANSWER_TAIL_CHARS,
    ASKED_CHARS,
    CUT_MARK,
    MOST_SENTENCES,
    Exchange,
    readable,
    sentences,
)
from tests.growing import grows_like_its_size

HOSTILE = {
    "full stops": ".",
    "sentences of one sign": ". ",
    "quotes behind full stops": '!"',
    "short forms": "A. ",
    "numbers": "1. ",
    "line breaks": "\n",
    "spaces": ".  ",
    "fences": "```\n",
    "fences that never close": "~~~\n```\n",
    "ticks in a line": "``` ",
}


@given(st.text() | st.text(alphabet="ab. !?\n\"')`~…。No1\r\t\u2028", max_size=80))
def test_the_sentences_joined_are_the_text_again(text: str) -> None:
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(piece.strip() for piece in pieces) or not text.strip()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("No. Use bullets.", ["No.", "Use bullets."]),
        ("Wrong! “Use bullets.” Please", ["Wrong!", "“Use bullets.”", "Please"]),
        ("Nein.\nImmer duzen", ["Nein.", "Immer duzen"]),
        ("不对。 用中文", ["不对。", "用中文"]),
        ("what?? no...  ok", ["what??", "no...", "ok"]),
        ("use 3.5 spaces", ["use 3.5 spaces"]),
        ('End with "Over." in each reply. Ok?', ['End with "Over." in each reply.', "Ok?"]),
        ('I said "Over." Use it.', ['I said "Over."', "Use it."]),
        ("Schreib »Ende.« darunter", ["Schreib »Ende.« darunter"]),
        ("", []),
    ],
)
def test_a_text_is_cut_where_a_sentence_ends(text: str, pieces: list[str]) -> None:
    assert [piece.strip() for piece in sentences(text)] == pieces


@pytest.mark.parametrize(
    "text",
    [
        "Sign with Dr. Ada Lovelace",
        "use units, e.g. metres",
        "schreib z.B. so",
        "see No. 5 for that",
        "ask J. Doe first",
        "1. bullets",
    ],
)
def test_a_short_form_ends_no_sentence(text: str) -> None:
    assert sentences(text) == (text,)


def test_a_line_break_ends_a_sentence_behind_a_short_form_too() -> None:
    assert [piece.strip() for piece in sentences("use metres etc.\nand tabs")] == [
        "use metres etc.",
        "and tabs",
    ]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fenced_block_stays_whole(fence: str) -> None:
    block = f"{fence}python\nprint('One. Two.')\n\nx = 1\n{fence}"
    found = sentences(f"No. Like this:\n{block}\nAlways.")
    assert [piece.strip() for piece in found] == ["No.", "Like this:", block, "Always."]


def test_a_fence_that_never_closes_runs_to_the_end() -> None:
    found = sentences("Use this.\n```\nOne. Two.\nThree.")
    assert found == ("Use this.\n", "```\nOne. Two.\nThree.")


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_a_long_hostile_message_takes_no_more_than_its_length_in_work(unit: str) -> None:
    def read(size: int) -> None:
        text = (unit * (size // len(unit) + 1))[:size]
        shown = readable(Exchange(asked=text, answer=text, said=text))
        assert len(shown.sentences) <= MOST_SENTENCES

    assert grows_like_its_size(read, small=25_000)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=400))
def test_what_a_reader_sees_stands_in_the_message(asked: str, answer: str, said: str) -> None:
    shown = readable(Exchange(asked=asked, answer=answer, said=said))
    assert (shown.asked, shown.answer) == (asked.strip(), answer.strip())
    at = 0
    for piece in shown.sentences:
        at = said.index(piece, at) + len(piece)


def test_of_a_long_message_the_beginning_and_the_end_are_seen() -> None:
    paste = "".join(f"Line {n} of the log says nothing. " for n in range(2_000))
    said = f"No, use bullets. {paste}From now on always."
    shown = readable(Exchange(asked="a" * 999, answer="b" * 9_999, said=said))
    assert shown.sentences[0] == "No, use bullets. "
    assert shown.sentences[-1] == "From now on always."
    assert sum(map(len, shown.sentences)) < 2_500
    assert len(shown.asked) == ASKED_CHARS + len(CUT_MARK)
    assert len(shown.answer) == ANSWER_HEAD_CHARS + len(CUT_MARK) + ANSWER_TAIL_CHARS


def test_a_sentence_as_long_as_a_paste_is_seen_by_both_ends() -> None:
    (piece,) = readable(Exchange(asked="", answer="", said=f"no {'x' * 9_999} ever")).sentences
    assert piece.startswith("no xx") and piece.endswith("xx ever") and CUT_MARK in piece
    assert len(piece) < 1_000
