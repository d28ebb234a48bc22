"""Tests of finding which literals may occur in a text: none that does occur is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lull.core.secrets.values.pattern import TrigramIndex, short_text

TEXTS = st.text("abcß密 ", max_size=40)


@given(literals=st.lists(st.text("abcß密 ", min_size=1, max_size=6), max_size=30), text=TEXTS)
def test_every_literal_that_occurs_is_named_in_order(literals: list[str], text: str) -> None:
    said = TrigramIndex(literals).that_may_occur(short_text(text))
    assert said == sorted(set(said))
    assert {n for n, literal in enumerate(literals) if literal in text} <= set(said)


def test_a_literal_is_left_out_where_one_of_its_parts_is_missing() -> None:
    literals = TrigramIndex(["password", "passport", "pw", "key"])
    assert literals.that_may_occur(short_text("my passport")) == [1]
    assert literals.that_may_occur(short_text("pw")) == [2]
    assert literals.that_may_occur(short_text("")) == []
