"""Tests of detecting the language of a text, by a library whose model is in its own wheel."""

from __future__ import annotations

import pytest

from lull.backends.reader.language_detection import detect, is_foreign


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Put the stems in a glass of water and keep it at room temperature.", "en"),
        ("Stell die Stängel in ein Glas Wasser und lass es bei Zimmertemperatur stehen.", "de"),
        ("Mets les tiges dans un verre d'eau et garde-le à température ambiante.", "fr"),
        ("Pon los tallos en un vaso de agua y déjalo a temperatura ambiente.", "es"),
        ("Metti i gambi in un bicchiere d'acqua e tienilo a temperatura ambiente.", "it"),
        ("Postaw łodygi w szklance wody i trzymaj w temperaturze pokojowej.", "pl"),
        ("Поставьте стебли в стакан с водой при комнатной температуре.", "ru"),
        ("茎を水の入ったグラスに入れて、室温で保管してください。", "ja"),
    ],
)
def test_a_sentence_is_enough(text: str, language: str) -> None:
    found = detect(text)
    assert found is not None
    assert found[0] == language and found[1] > 0.9


@pytest.mark.parametrize("text", ["", " ", "123 + 4", "🎂🎂"])
def test_a_text_without_letters_has_no_language(text: str) -> None:
    assert detect(text) is None


def test_a_word_or_two_are_no_sure_sign() -> None:
    found = detect("ok")
    assert found is None or found[1] < 0.9


def test_speech_in_a_language_that_the_reader_was_not_trained_on_is_foreign() -> None:
    assert is_foreign("Multumesc mult, acum am inteles totul foarte bine.")
    assert not is_foreign("Vielen Dank, jetzt habe ich alles gut verstanden.")
    assert not is_foreign("no emojis pls ok")
