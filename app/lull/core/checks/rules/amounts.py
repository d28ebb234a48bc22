"""Parses amounts in rules: "under 100 words", "höchstens zwei Sätze", "2-3 lines or fewer".

Numbers are digits or words, in English, German, French and Spanish. An approximate amount ("around
50") is ignored.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from lull.core.checks.rules.number_words import VALUES

NUMBER: Final = r"(?:\d{1,5}|" + "|".join(sorted(VALUES, key=len, reverse=True)) + ")"

_NOT_MORE: Final = (
    r"(?:no|not|never|\w*n't|sans|without|ohne|nicht|keine?|nie|pas|jamais|nunca|no)\b[^.;]{0,30}\b"
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
    r"or (?:less|fewer|under|shorter|below)|nicht mehr|pas (?:un\w* de )?plus|jamais plus|no "
    r"más|ni un\w* más|(?:is |as )?(?:the |my |a |our )?(?:absolute "
    r")?(?:max(?:imum)?|limit|cap|ceiling)|tops|"
    r"at (?:the )?(?:very )?most|and no(?:t a \w+)? more|no more|not more|never (?:more|"
    r"longer)|oder weniger|maximal|höchstens|"
    r"ou moins|maximum|(?:grand )?max|au plus|o menos|(?:como )?máximo|como mucho"
)
_AFTER_LEAST: Final = (
    r"or (?:more|longer|above)|at least|minimum|at (?:a )?minimum|oder mehr|mindestens|ou plus|"
    r"au moins|o más|(?:como )?mínimo|al menos"
)


BARE: Final = re.compile(rf"(?<![\w.,]){NUMBER}(?![\w])")


@cache
def amount_of(noun: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,])(?P<one>{NUMBER})(?:\s?(?:-|–|to|or|bis|oder|à|ou|a|o|and|et|y|und)\s?"
        rf"(?P<two>{NUMBER}))?(?P<between>[\s-]+(?:[\w-]+\s+){{0,2}}?)(?:{noun})\b"
    )


class AmountRange(NamedTuple):
    at_least: int | None
    at_most: int | None


def span(text: str, noun: str, *, limit: bool = False) -> AmountRange | None:
    """Parse the amount of `noun` (a regular expression) that the text asks for; None if unclear.

    A bare number means exactly that many; with `limit` it is the maximum, as people mean it of
    words.
    """
    text = text.lower().replace("’", "'")
    found = amount_of(noun).search(text)
    if found is None:
        return None
    one = value(found["one"])
    before, after = text[: found.start()].rstrip(), text[found.end() :]
    if found["two"]:
        return _between(one, value(found["two"]), before)
    return _judged(one, before, after, limit=limit)


def bare(text: str, *, limit: bool = False) -> AmountRange | None:
    """Parse the amount in a text with exactly one number and without a noun for what is counted."""
    text = text.lower().replace("’", "'")
    numbers = list(BARE.finditer(text))
    if len(numbers) != 1:
        return None
    found = numbers[0]
    return _judged(
        value(found[0]), text[: found.start()].rstrip(), text[found.end() :], limit=limit
    )


def value(number: str) -> int:
    return int(number) if number.isdigit() else VALUES[number]


def _between(one: int, two: int, before: str) -> AmountRange | None:
    if one >= two:
        return None
    if re.search(rf"(?:{_ABOUT})$", before):
        return None
    if re.search(rf"(?:{_NOT_MORE}|at most|max(?:imum)?|up to|höchstens|maximal)$", before):
        return AmountRange(None, two)
    return AmountRange(one, two)


def _judged(number: int, before: str, after: str, *, limit: bool) -> AmountRange | None:
    # In "a limit of the" the last words do not belong to the amount; in "menos de" they do.
    shorter = re.sub(r"\s(?:the|a|of|de|just|only|nur|solo|seulement)$", "", before)
    near = re.match(r"[\s,(]*(?:\w+\s+){0,2}?", after)
    rest = after[near.start() if near else 0 :].lstrip(" ,(-:=")
    ended = {
        name: any(
            re.search(rf"(?:^|[\s(:,=])(?:{pattern})\s*[:=]?$", said) for said in (before, shorter)
        )
        for name, pattern in (
            ("about", _ABOUT), ("not more", _NOT_MORE), ("least", _LEAST), ("less", _LESS),
            ("more", _MORE), ("most", _MOST), ("exact", _EXACT),
        )
    }  # fmt: skip
    if ended["about"] or re.search(r"(?:^|\s)(?:not|no|nicht|kein\w*|pas|ni)(?: even)?$", before):
        return None
    if ended["not more"] or re.match(rf"(?:\w+\s+){{0,2}}?(?:{_AFTER_MOST})\b", rest):
        return AmountRange(None, number)
    if ended["least"] or re.match(rf"(?:\w+\s+){{0,1}}?(?:{_AFTER_LEAST})\b", rest):
        return AmountRange(number, None)
    if ended["less"]:
        return AmountRange(None, number - 1) if number > 1 else None
    if ended["more"]:
        return AmountRange(number + 1, None)
    if ended["exact"]:
        return AmountRange(number, number)
    if ended["most"] and number > 1:
        return AmountRange(None, number)
    if limit:
        return AmountRange(None, number)
    return AmountRange(number, number)
