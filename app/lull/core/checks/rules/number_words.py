"""Numbers written as words, 1 to 999, in English, German, French and Spanish.

Composed from each language's base words, so that "thirty-five", "fünfundzwanzig", "soixante-quinze"
and "treinta y cinco" need no list of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_ENGLISH: Final = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ENGLISH_TENS: Final = [
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]
_GERMAN: Final = [
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_GERMAN_TENS: Final = [
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
]
_FRENCH: Final = [
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
]
_FRENCH_TENS: Final = [
    "vingt",
    "trente",
    "quarante",
    "cinquante",
    "soixante",
    "soixante",
    "quatre-vingt",
]
_SPANISH: Final = [
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
_SPANISH_TENS: Final = [
    "treinta",
    "cuarenta",
    "cincuenta",
    "sesenta",
    "setenta",
    "ochenta",
    "noventa",
]
_SPANISH_HUNDREDS: Final = ["doscient", "trescient", "cuatrocient", "quinient", "seiscient"]


def _english() -> dict[str, int]:
    small = dict(zip(_ENGLISH, range(1, 20), strict=True))
    for ten, word in zip(range(20, 100, 10), _ENGLISH_TENS, strict=True):
        small[word] = ten
        for one, said in enumerate(_ENGLISH[:9], 1):
            small |= {f"{word}-{said}": ten + one, f"{word} {said}": ten + one}
    found = small | {"a hundred": 100, "hundred": 100, "single": 1, "a dozen": 12}
    found |= {f"{said} hundred": 100 * one for one, said in enumerate(_ENGLISH[:9], 1)}
    return found | {
        f"{said} and {word}": hundred + value
        for said, hundred in (("a hundred", 100), ("one hundred", 100), ("two hundred", 200))
        for word, value in small.items()
        if value < 100
    }


def _german() -> dict[str, int]:
    small = dict(zip(_GERMAN, range(1, 20), strict=True))
    for ten, word in zip(range(20, 100, 10), _GERMAN_TENS, strict=True):
        small[word] = ten
        small |= {f"{said}und{word}": ten + one for one, said in enumerate(_GERMAN[:9], 1)}
    found = small | {"dreissig": 30}
    for hundred, word in enumerate(("", "ein", "zwei", "drei", "vier", "fünf")):
        base = 100 * (hundred or 1)
        found[f"{word}hundert"] = base
        found |= {f"{word}hundert{said}": base + value for said, value in small.items()}
    forms = {f"ein{end}": 1 for end in ("e", "en", "em", "er", "es", "zige", "ziger", "zigen")}
    return found | forms | {f"einzige{end}": 1 for end in ("", "n", "r", "s")}


def _french() -> dict[str, int]:
    small = dict(zip(_FRENCH, range(1, 20), strict=True))
    for ten, word in zip((20, 30, 40, 50, 60, 60, 80), _FRENCH_TENS, strict=True):
        small[word] = ten
        reach = 20 if ten in (60, 80) else 10
        for one, said in enumerate(_FRENCH[: reach - 1], 1):
            small |= {f"{word}-{said}": ten + one}
        small |= {f"{word} et un": ten + 1, f"{word}-et-un": ten + 1, f"{word} et une": ten + 1}
    found = small | {
        "une": 1,
        "unique": 1,
        "quatre-vingts": 80,
        "cent": 100,
        "une centaine de": 100,
    }
    found |= {f"{said} cents": 100 * one for one, said in enumerate(_FRENCH[1:6], 2)}
    return found | {f"cent {word}": 100 + value for word, value in small.items() if value < 100}


def _spanish() -> dict[str, int]:
    small = dict(zip(_SPANISH, range(1, 30), strict=True))
    for ten, word in zip(range(30, 100, 10), _SPANISH_TENS, strict=True):
        small[word] = ten
        small |= {f"{word} y {said}": ten + one for one, said in enumerate(_SPANISH[:9], 1)}
    found = small | {"un": 1, "una": 1, "único": 1, "única": 1, "cien": 100}
    for hundred, word in enumerate(_SPANISH_HUNDREDS, 2):
        found |= {f"{word}os": 100 * hundred, f"{word}as": 100 * hundred}
    return found | {f"ciento {word}": 100 + value for word, value in small.items() if value < 100}


VALUES: Final[Mapping[str, int]] = _english() | _german() | _french() | _spanish()
"""Maps number words to numbers; a word shared by two languages means the same in both."""
