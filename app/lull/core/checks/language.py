"""Checks the natural language of a model's answer, and finds names of languages in texts.

The library that detects languages is passed in as `Tools.detect`. Short texts and languages that
are written nearly alike are left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks.check import Check, CheckLibraries
from lull.core.checks.text import plain_prose, without_code

FEWEST_LETTERS: Final = 20
SURE_FROM: Final = 0.9
_FEWEST_PART_LETTERS: Final = 60
"""Fewest letters from which a paragraph's own language counts."""
_ALIKE: Final = (
    frozenset(("da", "no", "nb", "nn", "sv")),
    frozenset(("hr", "sr", "bs", "sl")),
    frozenset(("es", "gl", "pt", "ca", "an", "ast", "oc", "eu")),
    frozenset(("cs", "sk")),
    frozenset(("id", "ms", "jv")),
    frozenset(("de", "lb", "als", "nds")),
    frozenset(("nl", "af", "li", "fy")),
    frozenset(("ru", "uk", "be", "bg", "mk")),
    frozenset(("hi", "mr", "ne")),
    frozenset(("it", "co", "sc")),
)

_NAMES: Final[Mapping[str, str]] = {
    "en": "english englisch englischen anglais inglés ingles",
    "de": "german deutsch deutschen allemand alemán aleman",
    "fr": "french französisch französischen français francais francés frances",
    "es": "spanish spanisch spanischen espagnol español espanol castellano castilian",
    "it": "italian italienisch italien italiano",
    "pt": "portuguese portugiesisch portugais portugués português",
    "nl": "dutch niederländisch holländisch néerlandais neerlandés holandés nederlands",
    "pl": "polish polnisch polonais polaco polski polsku",
    "ru": "russian russisch russe ruso русский русском",
    "uk": "ukrainian ukrainisch ukrainien ucraniano українська українською",
    "cs": "czech tschechisch tchèque checo čeština česky",
    "sv": "swedish schwedisch suédois sueco svenska",
    "da": "danish dänisch danois danés dansk",
    "no": "norwegian norwegisch norvégien noruego norsk",
    "fi": "finnish finnisch finnois finlandés suomi suomeksi",
    "hu": "hungarian ungarisch hongrois húngaro magyar magyarul",
    "ro": "romanian rumänisch roumain rumano română",
    "el": "greek griechisch grec griego ελληνικά",
    "tr": "turkish türkisch turc turco türkçe",
    "ar": "arabic arabisch arabe árabe العربية",
    "he": "hebrew hebräisch hébreu hebreo עברית",
    "hi": "hindi हिन्दी",
    "zh": "chinese chinesisch chinois chino mandarin 中文",
    "ja": "japanese japanisch japonais japonés 日本語",
    "ko": "korean koreanisch coréen coreano 한국어",
    "vi": "vietnamese vietnamesisch vietnamien vietnamita",
    "id": "indonesian indonesisch indonésien indonesio",
    "ca": "catalan katalanisch català catalán",
    "hr": "croatian kroatisch croate croata hrvatski",
    "la": "latin latein latín",
}
CODES: Final = {name: code for code, names in _NAMES.items() for name in names.split()}


def name_of(code: str) -> str:
    """Return the English name of a language, given its code."""
    return _NAMES[code].split()[0].capitalize() if code in _NAMES else code


def named_languages(text: str) -> list[str]:
    """Return the languages that a text mentions by name, as codes, in order and each once."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return list(dict.fromkeys(CODES[word] for word in words if word in CODES))


def language(check: Check, answer: str, tools: CheckLibraries) -> bool | None:
    """Check that an answer is written in the wanted language; None if that cannot be told."""
    whole = _language(plain_prose(without_code(answer)), tools)
    if whole is None:
        return None
    if whole != check.value:
        return None if _alike(whole, check.value) else False
    for part in plain_prose(without_code(answer)).split("\n\n"):
        other = _language(part, tools) if _letters(part) >= _FEWEST_PART_LETTERS else None
        if other is not None and other != check.value and not _alike(other, check.value):
            return None
    return True


def _language(text: str, tools: CheckLibraries) -> str | None:
    if _letters(text) < FEWEST_LETTERS and not re.search("[\u3040-\u9fff\uac00-\ud7af]{4}", text):
        return None
    found = tools.detect(text)
    return found[0] if found is not None and found[1] >= SURE_FROM else None


def _letters(text: str) -> int:
    return sum(sign.isalpha() for sign in text)


def _alike(one: str, other: str) -> bool:
    return any(one in group and other in group for group in _ALIKE)
