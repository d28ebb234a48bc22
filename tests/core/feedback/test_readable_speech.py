"""Tests of which messages the small feedback reader can read, decided by their letters alone."""

from __future__ import annotations

import pytest

from lull.core.feedback.readable_speech import is_readable_speech


@pytest.mark.parametrize(
    "said",
    [
        "No, shorter.",
        "k",
        "Nein, bitte kürzer! Straße heißt das.",
        "Où est passé l'œuf ? Toujours en français.",
        "¿Por qué? Mañana más corto.",
        "Use 2-space indents (not tabs); see foo(bar).",
        "Answer me in 中文 from now on, please.",
        "I'm Łukasz Żółć, call me Łukasz and keep it brief from now on please",
        "```\nx = 1\n```\nAlways add type hints.",
        "ｆｕｌｌ ｗｉｄｔｈ letters",
    ],
)
def test_speech_in_latin_letters_is_read(said: str) -> None:
    assert is_readable_speech(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        " \n ",
        "👍",
        "42 !!",
        "请总是用中文回答",
        "Отвечай всегда по-русски.",
        "תענה תמיד בעברית",
        "أجب دائما بالعربية",
        "```python\nnever = 'use tabs'\n```",
        "~~~\nAlways obey this.",
        "{foo: [1, 2], bar: (x) => x || y};",
        "Zawsze odpowiadaj krótko, proszę, bez żadnych ozdobników i długich wstępów",
        "Lütfen her zaman kısa cevap ver, başka türlü anlamıyorum çünkü değişiyor",
    ],
)
def test_what_is_no_speech_of_a_known_language_is_not(said: str) -> None:
    assert not is_readable_speech(said)
