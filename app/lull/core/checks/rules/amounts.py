"""How many a rule asks for: "under 100 words", "höchstens zwei Sätze", "2-3 lines or fewer".

Numbers are digits or words, in English, German, French and Spanish. An amount that is only about
so much ("around 50") is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_WORDS: Final[Mapping[int, str]] = {
    1: "one|single|ein|eine|einen|einem|einer|eines|un|une|uno|una|único|unique|einzigen?|einziger",
    2: "two|zwei|deux|dos",
    3: "three|drei|trois|tres",
    4: "four|vier|quatre|cuatro",
    5: "five|fünf|cinq|cinco",
    6: "six|sechs|seis",
    7: "seven|sieben|sept|siete",
    8: "eight|acht|huit|ocho",
    9: "nine|neun|neuf|nueve",
    10: "ten|zehn|dix|diez",
    11: "eleven|elf|onze|once",
    12: "twelve|zwölf|douze|doce|a dozen",
    13: "thirteen|dreizehn|treize|trece",
    14: "fourteen|vierzehn|quatorze|catorce",
    15: "fifteen|fünfzehn|quinze|quince",
    16: "sixteen|sechzehn|seize|dieciséis",
    17: "seventeen|siebzehn|dix-sept|diecisiete",
    18: "eighteen|achtzehn|dix-huit|dieciocho",
    19: "nineteen|neunzehn|dix-neuf|diecinueve",
    20: "twenty|zwanzig|vingt|veinte",
    25: "twenty-five",
    30: "thirty|dreißig|trente|treinta",
    40: "forty|vierzig|quarante|cuarenta",
    50: "fifty|fünfzig|cinquante|cincuenta",
    60: "sixty|sechzig|soixante|sesenta",
    70: "seventy|siebzig|setenta",
    75: "seventy-five",
    80: "eighty|achtzig|quatre-vingts|ochenta",
    90: "ninety|neunzig|noventa",
    100: "a hundred|one hundred|hundred|hundert|einhundert|cent|cien",
    120: "a hundred and twenty",
    150: "a hundred and fifty|hundertfünfzig|cent cinquante|ciento cincuenta",
    200: "two hundred|zweihundert|deux cents|doscientas|doscientos",
    300: "three hundred|dreihundert|trois cents|trescientas|trescientos",
    500: "five hundred|fünfhundert|cinq cents|quinientas|quinientos",
}
_VALUES: Final = {word: value for value, words in _WORDS.items() for word in words.split("|")}
NUMBER: Final = r"(?:\d{1,5}|" + "|".join(sorted(_VALUES, key=len, reverse=True)) + ")"

_NOT_MORE: Final = (
    r"(?:no|not|never|n't|nicht|keine?|nie|pas|jamais|nunca|no)\b[^.;]{0,30}\b"
    r"(?:more than|longer than|over|exceed(?:ing)?|above|beyond|past|mehr als|länger als|über|"
    r"plus(?: long)?(?: de| que)?|dépasser|más(?: largo)?(?: de| que)?|pasar de|superar)"
)
_LESS: Final = (
    r"under|below|less than|fewer than|shorter than|unter|weniger als|kürzer als|moins de|menos de"
)
_MOST: Final = (
    r"at (?:the )?(?:very )?most|maximum(?: of| is| length)?|max\.?|up to|within|"
    r"limit(?:ed)?\w*(?: \w+)?(?: of| to| is)?|"
    r"cap(?:ped)?(?: \w+){0,3} at|stop at|to|no longer than|inside|höchstens|maximal|maximum|"
    r"bis zu|"
    r"auf|au (?:plus|maximum)|maximum de|en moins de|jusqu'à|como (?:máximo|mucho)|a lo sumo|"
    r"hasta|máximo(?: de)?|no more than|not more than|only get|ceiling is|not exceed|don't exceed"
)
_LEAST: Final = (
    r"at least|minimum(?: of)?|min\.?|no (?:fewer|less) than|not (?:less|fewer) than|mindestens|"
    r"wenigstens|nicht weniger als|au (?:moins|minimum)|pas moins de|al menos|por lo menos|"
    r"como mínimo|mínimo(?: de)?"
)
_MORE: Final = r"more than|over|longer than|mehr als|über|plus de|más de"
_ABOUT: Final = (
    r"about|around|roughly|approximately|some|near(?:ly)?|close to|ca\.?|circa|etwa|ungefähr|rund|"
    r"environ|à peu près|unos|unas|alrededor de|aproximadamente|~"
)
_EXACT: Final = (
    r"exactly|precisely|genau|exactement|exactamente|justo|always|immer|toujours|siempre"
)
_AFTER_MOST: Final = (
    r"or (?:less|fewer|under|shorter|below)|(?:is |as )?(?:the |my |a |our )?(?:absolute "
    r")?(?:max(?:imum)?|limit|cap|ceiling)|tops|"
    r"at (?:the )?(?:very )?most|and no(?:t a \w+)? more|no more|not more|never (?:more|"
    r"longer)|oder weniger|maximal|höchstens|"
    r"ou moins|maximum|(?:grand )?max|au plus|o menos|(?:como )?máximo|como mucho"
)
_AFTER_LEAST: Final = (
    r"or (?:more|longer|above)|at least|minimum|at (?:a )?minimum|oder mehr|mindestens|ou plus|"
    r"au moins|o más|(?:como )?mínimo|al menos"
)


class Span(NamedTuple):
    at_least: int | None
    at_most: int | None


def span(text: str, noun: str, *, limit: bool = False) -> Span | None:
    """How many of `noun` (a regular expression) the text asks for; None where it does not tell.

    A bare number is exactly that many; with `limit` it is the most, as people mean it of words.
    """
    text = text.lower().replace("’", "'")
    found = re.search(
        rf"(?<![\w.,])(?P<one>{NUMBER})(?:\s?(?:-|–|to|or|bis|oder|à|ou|a|o|and|y|und)\s?"
        rf"(?P<two>{NUMBER}))?(?P<between>[\s-]+(?:[\w-]+\s+){{0,2}}?)(?:{noun})\b",
        text,
    )
    if found is None:
        return None
    one = value(found["one"])
    before, after = text[: found.start()].rstrip(), text[found.end() :]
    if found["two"]:
        return _between(one, value(found["two"]), before)
    return _judged(one, before, after, limit=limit)


def bare(text: str, *, limit: bool = False) -> Span | None:
    """The same of a text that names one number and no noun."""
    text = text.lower().replace("’", "'")
    numbers = list(re.finditer(rf"(?<![\w.,]){NUMBER}(?![\w])", text))
    if len(numbers) != 1:
        return None
    found = numbers[0]
    return _judged(
        value(found[0]), text[: found.start()].rstrip(), text[found.end() :], limit=limit
    )


def value(number: str) -> int:
    return int(number) if number.isdigit() else _VALUES[number]


def _between(one: int, two: int, before: str) -> Span | None:
    if one >= two:
        return None
    if re.search(rf"(?:{_ABOUT})$", before):
        return None
    if re.search(rf"(?:{_NOT_MORE}|at most|max(?:imum)?|up to|höchstens|maximal)$", before):
        return Span(None, two)
    return Span(one, two)


def _judged(number: int, before: str, after: str, *, limit: bool) -> Span | None:
    before = re.sub(r"\s(?:the|a|of|de|just|only|nur|solo|seulement)$", "", before)
    near = re.match(r"[\s,(]*(?:\w+\s+){0,2}?", after)
    rest = after[near.start() if near else 0 :].lstrip(" ,(-:=")
    ended = {
        name: re.search(rf"(?:^|[\s(:,=])(?:{pattern})\s*[:=]?$", before) is not None
        for name, pattern in (
            ("about", _ABOUT), ("not more", _NOT_MORE), ("least", _LEAST), ("less", _LESS),
            ("more", _MORE), ("most", _MOST), ("exact", _EXACT),
        )
    }  # fmt: skip
    if ended["about"]:
        return None
    if ended["not more"] or re.match(rf"(?:\w+\s+){{0,2}}?(?:{_AFTER_MOST})\b", rest):
        return Span(None, number)
    if ended["least"] or re.match(rf"(?:\w+\s+){{0,1}}?(?:{_AFTER_LEAST})\b", rest):
        return Span(number, None)
    if ended["less"]:
        return Span(None, number - 1) if number > 1 else None
    if ended["more"]:
        return Span(number + 1, None)
    if ended["exact"]:
        return Span(number, number)
    if ended["most"] and number > 1:
        return Span(None, number)
    if limit:
        return Span(None, number)
    return Span(number, number)
