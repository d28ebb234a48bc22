"""Extracts the parameters of a check (an exact test of an answer) from the text of a user's rule,
by regular expressions. The kind of check is already known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from lull.core.checks import language
from lull.core.checks.check import Check, CheckKind, Part
from lull.core.checks.rules import amounts, choices, code_language
from lull.core.checks.rules.phrases import (
    LENGTH_NOUNS,
    NUMBERED_LISTS,
    ONE_PART,
    PART_OF_ANSWER,
    has_negation,
    is_double_negation,
    mask_quoted,
    quoted_after,
    with_straight_quotes,
)
from lull.core.checks.rules.wanting import wanted_words

_NO_PARAMETERS: Final = frozenset(
    (
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
    """Build a check (an exact test of an answer) of this kind from the text of a user's rule; None
    if a parameter that the kind needs is not in the text.
    """
    if kind in _NO_PARAMETERS:
        return Check(kind=kind)
    return _READERS[kind](kind, with_straight_quotes(rule))


_Reader = Callable[[CheckKind, str], Check | None]


def _length(kind: CheckKind, text: str) -> Check | None:
    if ONE_PART.search(text):
        return None
    limit = kind in (CheckKind.WORDS, CheckKind.CHARACTERS)
    found = amounts.amount_range(text, LENGTH_NOUNS[kind], limit=limit)
    if found is None and not _counts_another(kind, text):
        found = amounts.bare_amount(text, limit=limit)
    return spanned(kind, found)


def _counts_another(kind: CheckKind, text: str) -> bool:
    """Whether the rule's number counts something else than the class of check does."""
    nouns = "|".join(one for name, one in LENGTH_NOUNS.items() if name is not kind)
    return amounts.mentions_amount(text, rf"{nouns}|minutes?|hours?|days?|times|pages?")


def spanned(kind: CheckKind, found: amounts.AmountRange | None) -> Check | None:
    """Return the check with these limits; None if the rule states none."""
    if found is None or not (found.at_least or found.at_most):
        return None
    return Check(kind=kind, at_least=found.at_least, at_most=found.at_most)


def _list(kind: CheckKind, text: str) -> Check | None:
    if ONE_PART.search(text) or not amounts.mentions_amount(text, LENGTH_NOUNS[kind]):
        return Check(kind=kind)
    return spanned(kind, amounts.amount_range(text, LENGTH_NOUNS[kind]))


def _no_bullets(kind: CheckKind, text: str) -> Check | None:
    if re.search(NUMBERED_LISTS, text, re.IGNORECASE) and not re.search(
        r"\b(?:bullet|stichpunkt|puce|viñeta)", text, re.IGNORECASE
    ):
        return Check(kind=kind, value="numbered")
    lists = re.search(
        r"\b(?<!bullet )(?<!bulleted )(?:lists?|listen|listes?|listas?)\b", text.lower()
    )
    return Check(kind=kind, value="lists" if lists else "")


def _case(kind: CheckKind, text: str) -> Check | None:
    bare = mask_quoted(text)
    of_a_word = re.match(r"\W*§+\s+(?:in|en|mit)\b", bare)  # "Stop" in capitals
    return None if of_a_word or PART_OF_ANSWER.search(bare.lower()) else Check(kind=kind)


def _start(kind: CheckKind, text: str) -> Check | None:
    cue = r"start|begin|open|prefix|first|fang|commenc|débute|empie|empez|comien"
    value = quoted_after(text, cue) or _capitalised(text, r"(?:start|begin|open)\w*", r"with")
    return Check(kind=kind, value=value, must=not _is_denied(text)) if value else None


def _is_denied(text: str) -> bool:
    """Whether the text before the quotation is negated; "nothing after it" behind it does not
    count."""
    before = re.split(r"[.;!?]\s", mask_quoted(text).split("§", 1)[0])[-1]
    return has_negation(before) and not is_double_negation(before)


def _end(kind: CheckKind, text: str) -> Check | None:
    cue = r"end|finish|clos|sign|last|bottom|beend|schließ|unterschr|termin|fini|firma|acab"
    verb = r"(?:end|finish|close|sign)\w*(?: off)?"
    value = quoted_after(text, cue) or _capitalised(text, verb, r"(?:with|as|off as|off)")
    # A full stop inside the quotation marks usually belongs to the rule's own sentence.
    value = value if value.endswith("...") else value.rstrip(".")
    if re.search(rf"§\s*,?\s*(?:{_GOES_ON})", mask_quoted(text), re.IGNORECASE):
        return None  # more is to follow it
    return Check(kind=kind, value=value, must=not _is_denied(text)) if value else None


_GOES_ON: Final = (
    r"(?:and|plus|then|followed by|und|et|puis|y|suivi|seguido)\s+(?!nothing|no\b|"
    r"never|not|nichts|rien|nada)"
)


def _capitalised(text: str, verb: str, joins: str) -> str:
    """Find a literal text without quotation marks: it starts with a capital or a sign such as a
    dash, and ends the rule."""
    found = re.search(
        rf"\b{verb}\b(?:\s[\w']+){{0,5}}?\s{joins}:?\s(?P<said>[A-ZÄÖÜ–—~*-][^.!?\"]{{1,60}})[.!]?$",
        text,
        re.IGNORECASE,
    )
    said = found["said"].strip() if found else ""
    signed = re.match(r"[–—~*-]+\s?\w", said) is not None
    return (
        said
        if (said[:1].isupper() or signed) and not re.match(r"(?:A|An|The|One|Your|My)\b", said)
        else ""
    )


def _contains(kind: CheckKind, text: str) -> Check | None:
    """Return the check on quoted words; the words around each quotation decide whether it is
    wanted.
    """
    found = wanted_words(text)
    if found is None:
        return None
    if found.forbidden:
        # A word beside a forbidden one is the replacement.
        return Check(
            kind=CheckKind.NOT_CONTAINS, value="\n".join(found.forbidden), part=_place(text)
        )
    if len(found.words) != 1:
        return None
    return Check(kind=CheckKind.CONTAINS, value=found.words[0])


def _place(text: str) -> Part:
    """Return the part in which a word or sign is forbidden: code if the rule names code, else the
    whole answer.
    """
    in_code = code_language.named(mask_quoted(text)) or re.search(
        r"\bcode\b", mask_quoted(text), re.I
    )
    return Part.CODE if in_code else Part.WHOLE


def _chosen(kind: CheckKind, text: str) -> Check | None:
    value = choices.wanted_choice(kind, text)
    return Check(kind=kind, value=value) if value else None


def _units(kind: CheckKind, text: str) -> Check | None:
    value = choices.wanted_choice(kind, text)
    only = re.search(
        r"\b(?:only|just|nothing but|nur|ausschließlich|seulement|solo|sólo)\b", text, re.I
    )
    return Check(kind=kind, value=f"{value},only" if only else value) if value else None


def _language(kind: CheckKind, text: str) -> Check | None:
    if value := choices.wanted_choice(kind, text):
        return Check(kind=kind, value=value)
    never = re.search(r"\b(?:never|niemals|nie|jamais|nunca)\b", text, re.IGNORECASE)
    codes = language.named_languages(mask_quoted(text))
    if never and len(codes) == 1 and re.search(r"\b(?:in|auf|en)\s+\w+\W*$", text, re.IGNORECASE):
        return Check(kind=kind, value=codes[0], must=False)
    return None


def _sign(kind: CheckKind, text: str) -> Check | None:
    value = choices.wanted_choice(kind, text)
    return Check(kind=kind, value=value, part=_place(text)) if value else None


_KEYS: Final = re.compile(
    r"\b(?:keys?|fields?|properties|feldern?|schlüsseln?|clés?|champs?|claves?|campos?)\b:?\s+"
    r"(?:are |named |called |namens )?(?P<keys>[\w\"'`§-]+(?:(?:\s*,\s*|\s+)(?:(?:and|und|et|y|"
    r"&)\s+)?[\w\"'`-]+)*?)"
    r"(?=\s*(?:[.;:(]|$|,\s*(?:nothing|no |only|and nothing|nichts|rien|nada|sonst)|\s(?:only|"
    r"nothing)\b))",
    re.IGNORECASE,
)


_QUOTED_KEY: Final = re.compile(r"[\"'`]([\w-]+)[\"'`]")


def _json(kind: CheckKind, text: str) -> Check | None:
    """Return the check for JSON with the named keys; None if the rule describes the form in another
    way.
    """
    if not re.search(r"\bjson\b", text, re.IGNORECASE):
        return None
    found = _KEYS.search(text)
    if found is None:
        described = re.search(
            r"\b(?:keys?|fields?|array|object|list|schema|feld\w*|clés?|champs?|claves?|campos?|"
            r"snake|camel|indent\w*|format like|tabs|sorted|minified|one line)\b",
            text,
            re.IGNORECASE,
        )
        return None if described else Check(kind=kind)
    # Where a key is quoted, words without quotation marks are the rule's own.
    keys = _QUOTED_KEY.findall(found["keys"]) or re.findall(r"[\w-]+", found["keys"])
    keys = [key for key in keys if key.lower() not in ("and", "und", "et", "y")]
    return Check(kind=kind, value="\n".join(keys)) if keys else None


def _emojis(kind: CheckKind, text: str) -> Check | None:
    bare = mask_quoted(text).lower()
    found = amounts.amount_range(bare, r"emojis?|émojis?|emoticonos?|smileys?")
    place = re.search(
        r"\b(?:at|am|à|al)\s(?:the |la |el )?(?:very )?(?P<where>end|ende|schluss|fin|final|start|"
        r"beginning|anfang|début|principio)\b|\b(?:(?P<ends>end|finish|close|sign off|beende)|"
        r"(?P<starts>start|begin|open|beginn))\w*\b.{0,40}\bwith (?:an?|one|exactly one) (?:\w+ "
        r")?emoji",
        bare,
    )
    if place is not None:
        at_end = place["ends"] or (place["where"] or "")[:3] in ("end", "sch", "fin")
        return Check(kind=kind, value="end" if at_end else "start")
    if found is not None and (found.at_least or found.at_most):
        if re.match(r".*\b(?:an?|une?|ein\w*|un)\s(?:\w+\s)?[eé]moji", bare) and "one" not in bare:
            return Check(kind=kind, at_least=1)
        return Check(kind=kind, at_least=found.at_least, at_most=found.at_most)
    return None


def _indent(kind: CheckKind, text: str) -> Check | None:
    value = choices.wanted_choice(kind, text)
    if value != "spaces":
        return Check(kind=kind, value=value) if value else None
    number = amounts.number_of(text, LENGTH_NOUNS[kind])
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
    CheckKind.LANGUAGE: _language,
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
    CheckKind.NO_SIGN: _sign,
    CheckKind.JSON: _json,
    CheckKind.EMOJIS: _emojis,
    CheckKind.CHARACTERS: _length,
    CheckKind.JSON_SCHEMA: lambda kind, text: None,
    CheckKind.INDENT: _indent,
    CheckKind.DATE_FORMAT: _chosen,
    CheckKind.TIME_FORMAT: _chosen,
    CheckKind.UNITS: _units,
    CheckKind.PLAIN_TEXT: _marks,
    CheckKind.QUOTE_STYLE: _chosen,
}
