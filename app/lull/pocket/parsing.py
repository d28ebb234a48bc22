"""Parses rules, requests and answers in the toy language of Lull's tiny built-in model, and checks
whether an answer follows a rule.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from lull.pocket.hearing import normalize_phrasing
from lull.pocket.language import (
    CORRECTION_FRAMES,
    END_CLAUSES,
    JOINER_CLAUSES,
    MAX_WORDS,
    MIN_WORDS,
    REQUEST_FRAMES,
    REVERSE_CLAUSES,
    RULE_FRAMES,
    START_CLAUSES,
    WORDS,
    Joiner,
    Kind,
    Style,
    render,
)

MOST_PARSED: Final = 4096
"""Most texts whose parsed form is cached; several clients together state fewer rules."""
LONGEST_PARSED: Final = 400
"""Most characters of a text whose parsed form is cached, so that pasted texts fill no memory."""


def _plain(text: str) -> str:
    """Normalize case, spaces and the full stop."""
    return " ".join(text.split()).rstrip(".!").lower()


def _matching(frames: Iterable[str], text: str) -> dict[str, str] | None:
    """Return the fields of the first frame that the text matches, or None."""
    for frame in frames:
        if found := _pattern(frame).fullmatch(text):
            return found.groupdict()
    return None


@lru_cache(maxsize=256)
def _pattern(frame: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(frame)))


def _value(frames: Iterable[str], clause: str) -> str | None:
    """Return the word that a clause names, if it matches one of the frames."""
    fields = _matching((frame.replace("{}", "{value}") for frame in frames), clause)
    return fields["value"] if fields else None


def _kind(name: str) -> Kind | None:
    return Kind(name) if name in set(Kind) else None


def _style(clauses: Iterable[str]) -> Style | None:
    """Return the style that the clauses state together; None if one is unknown or repeated."""
    start: str | None = None
    end: str | None = None
    joiner: Joiner | None = None
    reverse = False
    for clause in clauses:
        if clause in REVERSE_CLAUSES and not reverse:
            reverse = True
        elif (word := _value(START_CLAUSES, clause)) in WORDS and start is None:
            start = word
        elif (word := _value(END_CLAUSES, clause)) in WORDS and end is None:
            end = word
        elif (name := _value(JOINER_CLAUSES, clause)) in set(Joiner) and joiner is None:
            joiner = Joiner(str(name))
        else:
            return None
    return Style(start=start, end=end, joiner=joiner, reverse=reverse)


def parse_rule(text: str) -> tuple[Kind, Style] | None:
    """Parse a rule of the toy language, or a correction that states one, into the kind of request
    that it is for and the answer style that it asks for; None if the text is neither.
    """
    return (_known_rule if len(text) <= LONGEST_PARSED else _rule)(text)


def _rule(text: str) -> tuple[Kind, Style] | None:
    said = _plain(text)
    said = found["rule"] if (found := _matching(CORRECTION_FRAMES, said)) else said
    return _framed(said) or _framed(normalize_phrasing(said))


# Each answer is held against every standing wish, so the same texts come again and again.
_known_rule = lru_cache(maxsize=MOST_PARSED)(_rule)


def framed_rule(text: str) -> tuple[Kind, str] | None:
    """Parse a rule of the toy language, such as "for a menu, end with sugar", into the kind of
    request (menu) and the clauses in the words used ("end with sugar"); None if the text is no
    rule.
    """
    said = _plain(text)
    said = found["rule"] if (found := _matching(CORRECTION_FRAMES, said)) else said
    for form in (said, normalize_phrasing(said)):
        fields = _matching(RULE_FRAMES, form)
        if fields is not None and _framed(form) is not None:
            return Kind(fields["kind"]), fields["clauses"]
    return None


def clause_styles(text: str) -> list[tuple[str, Style]]:
    """Return each clause of a toy-language rule (such as "end with sugar"), in the words used, with
    the answer style that it asks for.
    """
    rule = framed_rule(text)
    clauses = re.split(r", | and ", rule[1]) if rule is not None else []
    return [(clause, style) for clause in clauses if (style := _style([clause]))]


def _framed(said: str) -> tuple[Kind, Style] | None:
    fields = _matching(RULE_FRAMES, said)
    if fields is None or (kind := _kind(fields["kind"])) is None:
        return None
    style = _style(re.split(r", | and ", fields["clauses"]))
    return (kind, style) if style else None


def parse_request(text: str) -> tuple[Kind, tuple[str, ...]] | None:
    """Parse a request in the toy language, such as "make a menu of apple stone", into its kind
    (menu) and its words; None if the text is no request.
    """
    return (_known_request if len(text) <= LONGEST_PARSED else _asked)(text)


def _asked(text: str) -> tuple[Kind, tuple[str, ...]] | None:
    fields = _matching(REQUEST_FRAMES, _plain(text))
    if fields is None or (kind := _kind(fields["kind"])) is None:
        return None
    words = tuple(fields["words"].split())
    known = MIN_WORDS <= len(words) <= MAX_WORDS and all(word in WORDS for word in words)
    return (kind, words) if known else None


_known_request = lru_cache(maxsize=MOST_PARSED)(_asked)


def read_style(kind: Kind, words: Sequence[str], answer: str) -> Style | None:
    """Infer the style (first and last word, separator, order) of an answer to a toy-language
    request for these words; None if the answer lacks the words.

    Where two styles are possible, the default joiner and the plain order win.
    """
    for joiner in (None, *Joiner):
        given = tuple(answer.strip().split(joiner.text if joiner else kind.default_joiner))
        for reverse in (False, True):
            middle = tuple(reversed(words)) if reverse else tuple(words)
            for lead in (0, 1):
                trail = len(given) - lead - len(middle)
                if trail in (0, 1) and given[lead : lead + len(middle)] == middle:
                    start = given[0] if lead else None
                    end = given[-1] if trail else None
                    if all(word is None or word in WORDS for word in (start, end)):
                        return Style(start=start, end=end, joiner=joiner, reverse=reverse)
    return None


def check(correction: str, request: str, answer: str) -> bool | None:
    """Return whether an answer in the toy language has the style (such as a last word) that the
    user's correction asks for; it may have other traits as well.

    None if the correction or the request is not in the toy language, or their kinds differ.
    """
    rule, asked = parse_rule(correction), parse_request(request)
    if rule is None or asked is None or rule[0] is not asked[0]:
        return None
    (kind, wanted), (_, words) = rule, asked
    if answer.strip() == render(kind, words, wanted):
        return True
    shown = read_style(kind, words, answer)
    return shown is not None and set(wanted.parts()) <= set(shown.parts())


def credit(correction: str, request: str, answer: str) -> float | None:
    """Return how far an answer in the toy language has the style (such as a last word) that the
    user's correction asks for, from 0 to 1.

    It is the number of style attributes that the correction and the answer share, divided by the
    number that either has. So partial progress is rewarded, and unasked attributes cost. None if
    the correction or the request is not in the toy language, or their kinds differ.
    """
    rule, asked = parse_rule(correction), parse_request(request)
    if rule is None or asked is None or rule[0] is not asked[0]:
        return None
    (kind, wanted), (_, words) = rule, asked
    if answer.strip() == render(kind, words, wanted):
        return 1.0
    shown = read_style(kind, words, answer)
    if shown is None:
        return 0.0
    stated, seen = set(wanted.parts()), set(shown.parts())
    return len(stated & seen) / len(stated | seen)
