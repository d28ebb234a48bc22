"""The parameters that a check of a known class takes from a rule's text, by exact forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.rules import amounts, choices
from lull.core.checks.rules.phrases import (
    LENGTH_NOUNS,
    ONE_PART,
    PART_OF_ANSWER,
    quoted,
    quoted_after,
    straight,
)

_NO_PARAMETERS: Final = frozenset(
    (
        CheckKind.JSON,
        CheckKind.CODE_ONLY,
        CheckKind.NO_EMOJI,
        CheckKind.TYPE_HINTS,
        CheckKind.NO_CLOSING_QUESTION,
        CheckKind.NO_APOLOGY,
        CheckKind.NO_PREAMBLE,
        CheckKind.NO_CODE_COMMENTS,
        CheckKind.NO_CONTRACTIONS,
        CheckKind.CODE_PARSES,
    )
)


def parameters(kind: CheckKind, rule: str) -> Check | None:
    """The check of this kind that the rule means; None where it does not say what is needed."""
    if kind in _NO_PARAMETERS:
        return Check(kind=kind)
    return _READERS[kind](kind, straight(rule))


_Reader = Callable[[CheckKind, str], Check | None]


def _length(kind: CheckKind, text: str) -> Check | None:
    if ONE_PART.search(text):
        return None
    limit = kind is CheckKind.WORDS
    found = amounts.span(text, LENGTH_NOUNS[kind], limit=limit) or amounts.bare(text, limit=limit)
    return spanned(kind, found)


def spanned(kind: CheckKind, found: amounts.Span | None) -> Check | None:
    if found is None or not (found.at_least or found.at_most):
        return None
    return Check(kind=kind, at_least=found.at_least, at_most=found.at_most)


def _list(kind: CheckKind, text: str) -> Check | None:
    found = None if ONE_PART.search(text) else amounts.span(text, LENGTH_NOUNS[kind])
    return spanned(kind, found) or Check(kind=kind)


def _no_bullets(kind: CheckKind, text: str) -> Check | None:
    lists = re.search(
        r"\b(?<!bullet )(?<!bulleted )(?:lists?|listen|listes?|listas?)\b", text.lower()
    )
    return Check(kind=kind, value="lists" if lists else "")


def _case(kind: CheckKind, text: str) -> Check | None:
    return None if PART_OF_ANSWER.search(text.lower()) else Check(kind=kind)


def _start(kind: CheckKind, text: str) -> Check | None:
    cue = r"start|begin|open|prefix|first|fang|commenc|débute|empie|empez|comien"
    value = quoted_after(text, cue) or _capitalised(text, r"(?:start|begin|open)\w*", r"with")
    return Check(kind=kind, value=value) if value else None


def _end(kind: CheckKind, text: str) -> Check | None:
    cue = r"end|finish|clos|sign|last|bottom|beend|schließ|unterschr|termin|fini|firma|acab"
    verb = r"(?:end|finish|close|sign)\w*(?: off)?"
    value = quoted_after(text, cue) or _capitalised(text, verb, r"(?:with|as|off as|off)")
    # A full stop inside the quotation marks mostly belongs to the rule's own sentence.
    value = value if value.endswith("...") else value.rstrip(".")
    return Check(kind=kind, value=value) if value else None


def _capitalised(text: str, verb: str, joins: str) -> str:
    """What is meant literally although it is not quoted: it begins like a name and is last."""
    found = re.search(
        rf"\b{verb}\b(?:\s[\w']+){{0,5}}?\s{joins}:?\s(?P<said>[A-ZÄÖÜ–—-][^.!?\"]{{1,60}})[.!]?$",
        text,
        re.IGNORECASE,
    )
    said = found["said"].strip() if found else ""
    return said if said[:1].isupper() and not re.match(r"(?:A|An|The|One|Your|My)\b", said) else ""


_THE_WORD: Final = re.compile(
    r"\b(?:the (?:word|phrase|term)|das wort|le mot|la palabra)\s+([\w'-]{4,})\s*(?=[.,;!]|$)",
    re.IGNORECASE,
)


def _contains(kind: CheckKind, text: str) -> Check | None:
    values = quoted(text)
    if not values and (after := _THE_WORD.search(text)):
        values = [after[1]]
    values = [value.strip(" ,.;") for value in values]
    if not values or not all(values):
        return None
    if kind is CheckKind.NOT_CONTAINS:
        return Check(kind=kind, value="\n".join(values))
    return Check(kind=kind, value=values[0]) if len(values) == 1 else None


def _chosen(kind: CheckKind, text: str) -> Check | None:
    value = choices.chosen(kind, text)
    return Check(kind=kind, value=value) if value else None


def _indent(kind: CheckKind, text: str) -> Check | None:
    value = choices.chosen(kind, text)
    if value != "spaces":
        return Check(kind=kind, value=value) if value else None
    wide = amounts.span(text, LENGTH_NOUNS[kind]) or amounts.bare(text)
    number = wide.at_least if wide is not None and wide.at_least == wide.at_most else None
    if number is None or number > 8:
        return None
    return Check(kind=kind, value=value, at_least=number, at_most=number)


def _marks(kind: CheckKind, text: str) -> Check | None:
    low = text.lower()
    if re.search(
        r"markdown|plain text|plain words|formatting|formatierung|mark-?up|texte brut|texto plano|"
        r"reine[rn]? text|fließtext|asterisk|\*\*",
        low,
    ):
        return Check(kind=kind)
    names = {
        "bold": r"\bbold|\bfett|\bgras\b|negrita",
        "headings": r"heading|header|überschrift|titres?\b|encabezado",
        "tables": r"\btables\b|tabellen?|tableaux|tablas",
        "links": r"\b(?:hyper)?links?\b|\bliens?\b|enlaces?",
    }
    found = [name for name, pattern in names.items() if re.search(pattern, low)]
    return Check(kind=kind, value=" ".join(found)) if found else None


_READERS: Final[Mapping[CheckKind, _Reader]] = {
    CheckKind.LANGUAGE: _chosen,
    CheckKind.WORDS: _length,
    CheckKind.SENTENCES: _length,
    CheckKind.PARAGRAPHS: _length,
    CheckKind.LINES: _length,
    CheckKind.BULLETS: _list,
    CheckKind.NUMBERED_LIST: _list,
    CheckKind.NO_BULLETS: _no_bullets,
    CheckKind.STARTS: _start,
    CheckKind.ENDS: _end,
    CheckKind.CONTAINS: _contains,
    CheckKind.NOT_CONTAINS: _contains,
    CheckKind.LOWER_CASE: _case,
    CheckKind.UPPER_CASE: _case,
    CheckKind.NO_SIGN: _chosen,
    CheckKind.JSON_SCHEMA: lambda kind, text: None,
    CheckKind.INDENT: _indent,
    CheckKind.DATE_FORMAT: _chosen,
    CheckKind.TIME_FORMAT: _chosen,
    CheckKind.UNITS: _chosen,
    CheckKind.PLAIN_TEXT: _marks,
    CheckKind.QUOTE_STYLE: _chosen,
}
