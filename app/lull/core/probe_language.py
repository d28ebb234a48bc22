"""In which language a short text is, by the little words that every sentence of it has.

Enough to see that an adapter still answers in the language it was asked in; no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_TEXTS: Final[Mapping[str, str]] = {
    "en": (
        "the and is are of to in that it was for on with as be this which from by at have an you"
        " they their its or when while because into"
    ),
    "de": (
        "der die das und ist sind ein eine einen einem nicht mit von zu den dem des im auf für sich"
        " es wird wenn weil auch als aber bei nach oder sie er man durch"
    ),
    "fr": (
        "le la les et est sont un une des de du que qui dans pour sur avec il elle au aux en ce"
        " cette se pas ne par plus ou car lorsque quand leur"
    ),
    "es": (
        "el la los las y es son un una de del que en por para con se no su al lo como más o cuando"
        " porque este esta muy también está"
    ),
}
_SMALL_WORDS: Final = {code: frozenset(text.split()) for code, text in _TEXTS.items()}
LEAST: Final = 2
"""Little words before anything is said."""


def language_of(text: str) -> str:
    """`en`, `de`, `fr` or `es`; "" where the text does not tell."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {code: sum(word in small for word in words) for code, small in _SMALL_WORDS.items()}
    best, second = sorted(counts, key=lambda code: -counts[code])[:2]
    return best if counts[best] >= LEAST and counts[best] > counts[second] else ""
