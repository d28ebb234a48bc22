"""Tests of diffs: what is shown of a change, and which words of a changed line are marked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.desktop.pages.review.evidence import text_diff
from lull.desktop.widgets.text.changed_words import changed_words
from lull.desktop.widgets.text.diff import lines_of, side_by_side_html, unified_html
from lull.desktop.widgets.tokens import DARK, LIGHT

DIFF = """--- a in force
+++ a proposed
@@ -1,3 +1,3 @@
 same
-old <b>
+new & more
 end"""


def test_a_diff_has_the_numbers_of_both_sides() -> None:
    lines = lines_of(DIFF)
    assert [(line.sign, line.old, line.new) for line in lines[1:]] == [
        (" ", 1, 1),
        ("-", 2, None),
        ("+", None, 2),
        (" ", 3, 3),
    ]


@pytest.mark.parametrize("view", [unified_html, side_by_side_html])
def test_text_in_a_diff_is_never_markup(view: object) -> None:
    assert callable(view)
    html = view(DIFF, LIGHT)
    assert "old &lt;b&gt;" in html
    assert "new &amp; more" in html
    assert "<b>" not in html


def marked(html: str) -> list[str]:
    return re.findall(r"<b>(.*?)</b>", html)


@pytest.mark.parametrize("view", [unified_html, side_by_side_html])
def test_the_words_that_differ_are_marked_in_a_changed_line(view: object) -> None:
    assert callable(view)
    html = view(
        "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-Answer in German, in two sentences.\n+Answer in English,"
        " in at most two sentences.\n same",
        DARK,
    )
    assert [one.strip() for one in marked(html)] == ["German", "English", "at most"]
    assert DARK.bad_mark in html
    assert DARK.good_mark in html
    assert "@@" not in html


def test_lines_that_have_little_in_common_are_not_marked() -> None:
    assert changed_words("Answer in German.", "Sign letters with Kind regards, Ada") == ([], [])
    assert changed_words("", "new") == ([], [])
    assert changed_words("same", "same") == ([], [])


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_not_marked_is_the_same_in_both_lines(old: str, new: str) -> None:
    gone, came = changed_words(old, new)
    if gone or came:
        assert "".join(without(old, gone).split()) == "".join(without(new, came).split())
    for text, ranges in ((old, gone), (new, came)):
        ends = [place for one in ranges for place in one]
        assert ends == sorted(set(ends))
        assert all(0 <= place <= len(text) for place in ends)


def without(text: str, ranges: list[tuple[int, int]]) -> str:
    for start, end in reversed(ranges):
        text = text[:start] + text[end:]
    return text


def test_no_change_is_said_in_words() -> None:
    assert "The texts are the same." in unified_html("", LIGHT)


def test_a_line_that_looks_like_a_head_is_a_line() -> None:
    diff = "--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+--- not a head\n++++ nor this"
    assert [line.text for line in lines_of(diff)[1:]] == ["--- not a head", "+++ nor this"]


def test_side_by_side_shows_the_text_that_a_person_reads_and_no_settings() -> None:
    before = {"body": "Use bars.\nBe short.", "description": "Menus."}
    edit = {"kind": "edit", "said_before": before, "body": "Use dashes.\nBe short."}
    diff = text_diff(edit)
    assert "-Use bars." in diff and "+Use dashes." in diff and " Be short." in diff
    html = side_by_side_html(diff, LIGHT)
    assert "dashes" in html and "---" not in html and "Menus." in html
    new = text_diff({"kind": "new", "said_before": None, "body": "Use dashes."})
    assert "+Use dashes." in new and "-Use" not in new
    assert "-Use dashes." in text_diff({"kind": "retire", "body": "Use dashes."})
