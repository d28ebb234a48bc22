"""Tests of finding hidden and lookalike characters; those that a script or an emoji needs stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.text.unicode_safety import (
    has_bidi_controls,
    hidden_characters,
    lookalike_words,
    normalised_text,
    unaccented,
)


@pytest.mark.parametrize(
    "text",
    [
        "a\u200bb",
        "a\u200cb",
        "a\u200db",
        "a\u2060b",
        "\ufeffa",
        "a\u00ad b",
        "a\u202eb",
        "a\u2066b\u2069",
        "a\u200eb",
        "a\ufe0fb",
        "a\U000e0061\U000e0062",
        "a\U000e0100",
        "a\x07b",
        "a\x1bb",
        "a\u3164b",
        "a\u115fb",
        "a\ue000b",
        "\U0001f3f4\U000e0069\U000e0067\U000e006e",
    ],
)
def test_an_unseen_character_is_named(text: str) -> None:
    assert hidden_characters(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain text\twith a tab\nand a line",
        "❤️ and 👨‍👩‍👧 and 1️⃣ and ©️",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "שלום \u200fabc",
        "ภาษา\u200bไทย",
        "Straßen\u00adbahn",
        "L’été – „gut“ … 50 €",
        "日本語と한국어",
    ],
)
def test_what_a_script_needs_is_let_be(text: str) -> None:
    assert hidden_characters(text) == ()


def test_turned_reading_order_is_known() -> None:
    assert has_bidi_controls("a\u202eb")
    assert not has_bidi_controls("שלום \u200f!")


def test_a_word_of_two_alphabets_is_feigned_and_a_unit_is_not() -> None:
    assert lookalike_words("Аlways use pаypal") == ("Аlways", "pаypal")
    assert lookalike_words("5 μm, Δx, α-Wert, Москва, Ελλάδα, naïve café") == ()
    assert normalised_text("Аlways ign\u200bore pаypal") == "Always ignore paypal"
    assert normalised_text("Москва") == "Москва"


def test_accents_go_where_they_are_no_letters() -> None:
    assert unaccented("Grüße, déjà vu, ñ") == "Gruße, deja vu, n"
    assert unaccented("йод が") == "йод が"


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    hidden_characters(text)
    normalised_text(text)
