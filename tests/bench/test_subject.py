"""Tests of the rule for a commit's subject."""

from __future__ import annotations

import pytest

from bench.subject import wrong_with


@pytest.mark.parametrize(
    "subject",
    [
        "store: rewrite the database only where the disk has room for it",
        "desktop tests: wait for the page and not for the clock",
        "Merge branch 'other'",
    ],
)
def test_a_subject_of_the_form_is_right(subject: str) -> None:
    assert wrong_with(subject) == ""


@pytest.mark.parametrize(
    "subject",
    [
        "Fix things",
        "store: mend it.",
        "bench: add a table; docs: show it",
        "a long row of words: mend it",
        f"store: {'x' * 66}",
        "store:mend it",
    ],
)
def test_another_subject_is_told(subject: str) -> None:
    assert wrong_with(subject)
