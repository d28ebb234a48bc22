"""Tests of what a reader's probabilities mean: a correction, a lasting wish, thanks, or nothing."""

from __future__ import annotations

import pytest

from lull.core.feedback.feedback import LIKELY, UNSURE, MessageFindings


def test_a_likely_lasting_wish_with_its_words_is_a_rule() -> None:
    heard = MessageFindings(correction=0.9, lasting=0.9, quote=(" Use bullets. ", "Always."))
    assert heard.corrects and heard.lasts
    assert heard.rule == "Use bullets.\nAlways."


@pytest.mark.parametrize(
    "heard",
    [
        MessageFindings(correction=0.9, lasting=LIKELY, quote=("Use bullets.",)),
        MessageFindings(correction=0.9, lasting=0.9),
        MessageFindings(correction=0.9, lasting=0.9, quote=("Use bullets.",), unsure=True),
    ],
    ids=["not likely", "no words", "unsure"],
)
def test_what_is_not_likely_has_no_words_or_is_unsure_is_no_rule(heard: MessageFindings) -> None:
    assert not heard.lasts
    assert heard.rule == ""


def test_a_wish_may_last_without_a_word_against_the_answer() -> None:
    heard = MessageFindings(correction=0.1, lasting=0.9, thanks=0.9, quote=("Keep doing that.",))
    assert heard.lasts and heard.thanked and not heard.corrects


def test_who_corrects_does_not_thank_whatever_the_words_are() -> None:
    assert not MessageFindings(correction=0.8, lasting=0.0, thanks=0.9).thanked


def test_an_unsure_reader_says_nothing() -> None:
    assert not (UNSURE.corrects or UNSURE.lasts or UNSURE.thanked or UNSURE.rule)
