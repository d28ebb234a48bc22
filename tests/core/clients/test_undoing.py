"""Tests of taking Lull's lines out of a client's file that somebody has changed since."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lull.core.clients.undoing import undo_change

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=6).map("".join)


@given(LINES, LINES)
def test_of_an_unchanged_file_the_old_one_comes_back(before: str, after: str) -> None:
    assert undo_change(before, after, after) == before


@given(LINES, LINES)
def test_a_line_added_far_from_ours_is_kept(before: str, after: str) -> None:
    now = f"mine\n1\n2\n{after}"
    out = undo_change(f"1\n2\n{before}", f"1\n2\n{after}", now)
    assert out == f"mine\n1\n2\n{before}"


def test_a_change_of_our_own_lines_is_for_a_person() -> None:
    before, after = "a\nb\nc\n", "a\nours\nb\nc\n"
    assert undo_change(before, after, "a\nours, changed\nb\nc\n") is None
    assert undo_change(before, after, "a\nb\nc\n") is None
    assert undo_change(before, after, "a\nours\nb\nc\nlater\n") == "a\nb\nc\nlater\n"
