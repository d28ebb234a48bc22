"""Parses amounts in users' rules: "under 100 words", "höchstens zwei Sätze", "2-3 lines or fewer".

Numbers are digits or words, in English, German, French and Spanish. An approximate amount ("around
50") is ignored. A number that the sentence does not plainly demand is ignored, too, because the
words around it can change its meaning ("two sentences are plenty", "two are too few", "two or so")
in more ways than a list of words could cover.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from lull.core.checks.rules.number_words import VALUES

NUMBER: Final = r"(?:\d{1,5}|" + "|".join(sorted(VALUES, key=len, reverse=True)) + ")"

_NEVER: Final = (
    r"(?:no|not|never|\w*n't|sans|without|ohne|nicht|keine?|nie|pas|jamais|nunca|no)\b[^.;]{0,30}\b"
)
_NOT_MORE: Final = (
    rf"{_NEVER}(?:more than|longer than|over|exceed(?:ing)?|above|beyond|past|mehr als|länger als|"
    r"über|plus(?: long)?(?: de| que)?|dépasser|más(?: largo)?(?: de| que)?|pasar de|superar)"
)
_LESS: Final = (
    r"under|below|less than|fewer than|shorter than|unter|weniger als|kürzer als|moins de|menos de"
)
_NOT_LESS: Final = rf"{_NEVER}(?:{_LESS})"
_MOST: Final = (
    r"at (?:the )?(?:very )?most|maximum(?: of| is| length)?|max\.?|up to|within|"
    r"limit(?:ed)?\w*(?: \w+)?(?: of| to| is)?|"
    r"cap(?:ped)?(?: \w+){0,3} at|stop at|no longer than|höchstens|maximal|maximum|bis zu|"
    r"au (?:plus|maximum)|maximum de|en moins de|jusqu'à|como (?:máximo|mucho)|a lo sumo|"
    r"hasta|máximo(?: de)?|no more than|not more than|only get|ceiling is|not exceed|don't exceed"
)
_DOWN_TO: Final = r"to|inside|auf"
_LEAST: Final = (
    r"at least|minimum(?: of)?|min\.?|mindestens|wenigstens|au (?:moins|minimum)|al menos|"
    r"por lo menos|como mínimo|mínimo(?: de)?"
)
_MORE: Final = r"more than|over|longer than|mehr als|über|plus de|más de"
_ABOUT: Final = (
    r"about|around|roughly|approximately|some|near(?:ly)?|close to|ca\.?|circa|etwa|ungefähr|rund|"
    r"environ|à peu près|unos|unas|alrededor de|aproximadamente|~"
)
_EXACT: Final = r"exactly|precisely|genau|exactement|exactamente|justo"
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


ONES: Final = frozenset(word for word, number in VALUES.items() if number == 1)
"""The words for one, of which most are articles as well."""
BARE: Final = re.compile(rf"(?<![\w.,]){NUMBER}(?![\w])")


@cache
def amount_of(noun: str) -> re.Pattern[str]:
    """Return the pattern that finds how many of a thing a rule asks for; `noun` is a pattern for
    the thing.
    """
    return re.compile(
        rf"(?<![\w.,])(?P<one>{NUMBER})(?:\s?(?:-|–|to|or|bis|oder|à|ou|a|o|and|et|y|und)\s?"
        rf"(?P<two>{NUMBER}))?(?P<between>[\s-]+(?:[^\W\d][\w-]*\s+){{0,2}}?)(?:{noun})\b"
    )


_SEPARATE: Final = r"[.;!?,:()–—]"
_VERB: Final = (
    r"answer|reply|respond|write|give|use|keep|limit|make|antworte[nt]?|schreib\w*|gib|nutze?|"
    r"verwende|halte?|répond\w*|écri\w+|donne\w*|utilise\w*|fai(?:s|tes)|responde\w*|contest\w+|"
    r"escrib\w+|da(?:me)?|usa|haz"
)
_ORDERED: Final = re.compile(
    r"(?:please |bitte |always |immer |just |from now on |i (?:want|need|prefer) (?:you to )?)*"
    rf"(?:(?:{_VERB})(?: [\w']+){{0,4}}|i (?:want|need|prefer)|"
    r".*\b(?:must|should|soll\w*|müssen|muss|doi(?:t|vent)|deben?)(?: \w+){0,2}|"
    r"in|as|en|als|mit|immer|always|)"
)
"""Matches what stands before an amount in an order: "answer me in", "emails must be", nothing."""
_ENDED: Final = re.compile(
    r"(?:-?\s*(?:answers?|replies|antwort(?:en)?|réponses?|respuestas?|please|bitte|stp|svp|"
    r"por favor|thanks|thx|danke|merci|gracias|in (?:every|each|all) .*|always|immer|toujours|"
    r"siempre|only|nur|each|long|from (?:now|here) on|every time|(?:per|pro|par|por) \w+|"
    r"(?:for|für|pour|para) .*)\b)*\s*"
)
"""Matches what stands between an amount and the end of its order: nothing, "answers, please"."""


class AmountRange(NamedTuple):
    """The smallest and the largest number that a rule allows; None where it sets no limit."""

    at_least: int | None
    at_most: int | None


def amount_range(text: str, noun: str, *, limit: bool = False) -> AmountRange | None:
    """Parse how many of certain things (words, lines, …) a rule asks for, as a smallest and a
    largest number; `noun` is a regular expression for the things. None if this is unclear.

    A plain number means exactly that many; with `limit` it is the maximum, which is what people
    mean by "100 words".
    """
    text = _plain(text)
    found = amount_of(noun).search(text)
    if found is None:
        return None
    one = value(found["one"])
    before, after = text[: found.start()].rstrip(), text[found.end() :]
    if found["two"]:
        return _between(one, value(found["two"]), before, after)
    return _judged(one, before, after, limit=limit)


def bare_amount(text: str, *, limit: bool = False) -> AmountRange | None:
    """Parse an amount that a rule gives without a noun ("at most 100"). None unless the text
    contains exactly one number. With `limit`, a plain number is a maximum; otherwise it means
    exactly that many.
    """
    text = _plain(text)
    found = _only_number(text)
    if found is None:
        return None
    return _judged(
        value(found[0]), text[: found.start()].rstrip(), text[found.end() :], limit=limit
    )


def mentions_amount(text: str, noun: str) -> bool:
    """Whether a text contains a number of certain things, such as "two sentences", as a limit or
    not. `noun` is a regular expression for the things.
    """
    return amount_of(noun).search(_plain(text)) is not None


def number_of(text: str, noun: str) -> int | None:
    """Return the number that stands with `noun` (a regular expression) in a text, else the text's
    only number; None if there is none. Words such as "at most" are ignored: "at most 4 spaces"
    gives 4.
    """
    text = _plain(text)
    found = amount_of(noun).search(text)
    alone = _only_number(text)
    return value(found["one"]) if found else value(alone[0]) if alone else None


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")


def _only_number(text: str) -> re.Match[str] | None:
    numbers = list(BARE.finditer(text))
    return numbers[0] if len(numbers) == 1 else None


def value(number: str) -> int:
    """Return the value of a number that is written in digits or as a word."""
    return int(number) if number.isdigit() else VALUES[number]


def _between(one: int, two: int, before: str, after: str) -> AmountRange | None:
    if one >= two:
        return None
    if re.search(rf"(?:{_ABOUT})$", before):
        return None
    if re.search(rf"(?:{_NOT_MORE}|at most|max(?:imum)?|up to|höchstens|maximal)$", before):
        return AmountRange(None, two)
    if re.search(r"\b(?:between|zwischen|entre)$", before):
        return AmountRange(one, two)
    return AmountRange(one, two) if _ordered(_without_end(before, _DOWN_TO), after) else None


def _ordered(before: str, after: str) -> bool:
    """Whether the sentence orders the amount, so that it means just this many."""
    start = re.split(rf"{_SEPARATE}\s*", before)[-1].strip()
    end = re.split(_SEPARATE, after, maxsplit=1)[0]
    return _ORDERED.fullmatch(start) is not None and _ENDED.fullmatch(end) is not None


def _without_end(before: str, pattern: str) -> str:
    return re.sub(rf"(?:^|\s+)(?:{pattern})$", "", before)


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
            ("about", _ABOUT), ("not more", _NOT_MORE), ("least", _LEAST),
            ("not less", _NOT_LESS), ("less", _LESS), ("more", _MORE), ("most", _MOST),
            ("exact", _EXACT), ("down to", _DOWN_TO),
        )
    }  # fmt: skip
    if ended["about"] or re.search(r"(?:^|\s)(?:not|no|nicht|kein\w*|pas|ni)(?: even)?$", before):
        return None
    if ended["not more"] or re.match(rf"(?:\w+\s+){{0,2}}?(?:{_AFTER_MOST})\b", rest):
        return AmountRange(None, number)
    if (
        ended["least"]
        or ended["not less"]
        or re.match(rf"(?:\w+\s+){{0,1}}?(?:{_AFTER_LEAST})\b", rest)
    ):
        return AmountRange(number, None)
    if ended["less"]:
        return AmountRange(None, number - 1) if number > 1 else None
    if ended["more"]:
        ordered = _ordered(_without_end(before, _MORE), after)
        return AmountRange(number + 1, None) if ordered else None
    if ended["exact"]:
        return AmountRange(number, number)
    if ended["most"] and number > 1:
        return AmountRange(None, number)
    if not _ordered(_without_end(shorter, _DOWN_TO), after):
        return None
    if limit or (ended["down to"] and number > 1):
        return AmountRange(None, number)
    return AmountRange(number, number)
