"""Parses rules about a part of an answer: its last line, each bullet, lines of code, a commit
message's subject.

Such a rule is never applied to the whole answer: if it names a part and something else in it is not
understood, it gives no check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks.check import Check, CheckKind, Part
from lull.core.checks.rules import amounts
from lull.core.checks.rules.phrases import LENGTH_NOUNS, has_negation, mask_quoted, quoted

_EACH: Final = (
    r"(?:(?:each|every|any|all|per|jede[rsnm]?|alle|pro|chaque|toutes? les|par|cada|"
    r"todas? las|todos? los|por)\s+(?:\w+\s+)?)"
)
_NONE: Final = r"(?:no|not a|kein\w*|aucune?|ningun[oa]?)\s+(?:single\s+)?"
_LONGER: Final = (
    r"\s+(?:\w+\s+){0,2}?(?:longer|over|above|more than|exceed\w*|beyond|länger|"
    r"über|mehr als|plus|más)\b"
)
_HAVE: Final = (
    r"(?:\s+(?:\w+\s+){0,3}?(?:start|begin|end|open|have|has|are|is|must|should|stay|may|under|below|"
    r"of|with|within|no longer|shorter|beginnen|haben|enden|sollen|höchstens|maximal|unter|"
    r"commencent|de|font|ont|empiezan|tienen|en)\b)"
)
_BULLET: Final = (
    r"(?:bullets?(?: points?)?|list items?|items?|aufzählungspunkte?n?|stichpunkte?n?|"
    r"listenpunkte?n?|puces?|viñetas?)"
)
_FIRST: Final = (
    r"(?:first|opening|very first|erste[rn]?|première|primera) (?:line|zeile|ligne|línea)\b|"
    r"\b(?:primera línea)\b"
)
_SUBJECT: Final = r"\bsubjects?(?: lines?)?\b|\bbetreff(?:zeilen?)?\b"
_LAST: Final = (
    r"\b(?:last|closing|final|bottom|very last|letzte[rn]?|dernière) (?:line|zeile|ligne)\b|"
    r"\búltima línea\b|\b(?:with|mit|par|con) (?:a|an|eine[r]?|une|una) (?:\w+ )?(?:line|zeile|"
    r"ligne|"
    r"línea) (?:that|which|die|der|qui|que)\b"
)
_PARTS: Final[Mapping[Part, str]] = {
    Part.CODE_LINES: r"\b(?:lines of code|code lines?|codezeilen?|lignes de code|líneas de "
    r"código)\b|"
    r"\blines? in (?:my |the )?code\b",
    Part.LAST_LINE: _LAST,
    Part.FIRST_LINE: rf"\b{_FIRST}",
    Part.ITEMS: rf"\b{_EACH}{_BULLET}\b|^(?:my |the |keep (?:\w+ )?)?{_BULLET}{_HAVE}|"
    rf"\b{_BULLET} (?:of|with|under|below|no longer than|longer than|shorter than)\b",
    Part.SQL_KEYWORDS: r"\b(?:sql[- ]?(?:keywords?|schlüsselw\w+)|mots[- ]clés sql|"
    r"palabras clave (?:de )?sql)\b|\bkeywords?\b(?=.*\bsql\b)|\b(?<=in sql )keywords?\b",
    Part.SQL_NAMES: r"\b(?:column|table)s?(?:(?: and |/)(?:column|table)s?)? names?\b|"
    r"\bnames of (?:the )?(?:tables|columns)\b(?: and (?:tables|columns)\b)?",
    Part.SENTENCES: rf"\b{_EACH}(?:sentences?|sätze?n?|satz|phrases?(?! like)|frases?|"
    rf"oración)\b(?= |$)|"
    rf"^(?:my |the |keep (?:\w+ )?)?(?:sentences|sätze|phrases|frases)\b{_HAVE}|"
    r"\bsentences (?:of|under|below|no longer than|longer than|shorter than)\b",
    Part.PARAGRAPHS: rf"\b{_EACH}(?:paragraphs?|absatz|absätzen?|paragraphes?|párrafos?)\b|"
    rf"^(?:my |the |keep (?:\w+ )?)?(?:paragraphs|absätze|paragraphes|párrafos)\b{_HAVE}|"
    r"\bparagraphs (?:of|under|below|no longer than|longer than|shorter than)\b",
    Part.HEADINGS: rf"\b{_EACH}?(?:headings?|überschriften|encabezados?)\b{_HAVE}",
    Part.LINES: rf"\b{_EACH}(?:lines?|zeilen?|lignes?|líneas?)\b|"
    rf"^(?:my |the |keep (?:\w+ )?)?(?:lines|zeilen|lignes|líneas|verses)\b{_HAVE}|"
    r"\blines (?:under|below|no longer than|longer than|shorter than)\b",
    Part.LIST: r"^(?:my |the |keep (?:\w+ )?)?(?:lists|listen|listes|listas)\b|"
    r"\b(?:in|per|pro|par|por|each|every|any) (?:\w+ )?(?:list|liste|lista)\b",
}
_NOUNS: Final = {
    Part.ITEMS: _BULLET,
    Part.SENTENCES: r"(?:sentences?|satz|phrase|frase|oración)",
    Part.PARAGRAPHS: r"(?:paragraphs?|absatz|paragraphe|párrafo)",
    Part.LINES: r"(?:lines?|zeile|ligne|línea)",
}
_FEW_BULLETS: Final = (
    r"(?:(?:no|never|not) more than|at most|max\w*\.?|up to|höchstens|maximal|nie mehr als|"
    r"(?:pas|jamais) "
    rf"plus de|au plus|como máximo|no más de|nunca más de)\s+[\w-]+\s+{_BULLET}\b"
)
"""Matches "at most three bullets", a limit on a list if the answer has one."""
_COUNTS: Final = {
    CheckKind.CHARACTERS: LENGTH_NOUNS[CheckKind.CHARACTERS],
    CheckKind.WORDS: LENGTH_NOUNS[CheckKind.WORDS],
    CheckKind.SENTENCES: LENGTH_NOUNS[CheckKind.SENTENCES],
}
_OWN: Final = {Part.SENTENCES: CheckKind.SENTENCES}
_STARTS: Final = re.compile(
    r"\b(?:start|begin|open)\w*\b|\bbeginn\w*|\bfäng\w*|\bcommenc\w*|\bempi?e[zc]\w*|\bcomien\w*",
    re.I,
)
_ENDS: Final = re.compile(
    r"\b(?:end|ends|ending|finish\w*|close[sd]?)\b|\bende[tn]\b|\btermin\w*|\bfini\w*|\bacab\w*",
    re.I,
)
_CONTAINS: Final = re.compile(
    r"\b(?:contain|mention|include|have|has|carr(?:y|ies)|enthält|contient|contiene)\w*\b", re.I
)
_IS: Final = re.compile(r"\b(?:is|be|ist|sein|est|être|es|ser)\b", re.I)
_FULL_STOP: Final = r"full stops?|periods?|punkte?\b|points? final|puntos? final"
SMALL_LETTERS: Final = (
    r"lower[- ]?case|small letters?|kleinbuchstaben|kleingeschrieben|klein\b|"
    r"minuscules?|minúsculas?"
)
CAPITAL_LETTERS: Final = r"upper[- ]?case|capitals?|großbuchstaben|groß\b|majuscules?|mayúsculas?"
_OTHER_START: Final = r"\b(?:verb|noun|emoji|number|tag|word|imperative|type|prefix|question)\b"


def part_named(clause: str) -> tuple[Part, str] | None:
    """Find the part of an answer (such as each bullet) that a clause of a user's rule is about;
    return it with the clause. None if the clause names no part.
    """
    bare = mask_quoted(clause)
    if _whole_counted(bare):
        return None
    parts = dict(_PARTS)
    if re.search(r"\bcommits?\b", bare, re.IGNORECASE):
        parts[Part.FIRST_LINE] = rf"{parts[Part.FIRST_LINE]}|{_SUBJECT}"
    if re.search(_FEW_BULLETS, bare, re.IGNORECASE):
        return Part.LIST, clause
    for part, names in parts.items():
        noun = _NOUNS.get(part)
        denied = rf"|\b{_NONE}{noun}(?={_LONGER})" if noun else ""
        found = re.search(names + denied, bare, re.IGNORECASE)
        if found is not None:
            return part, f"{clause[: found.start()]} {clause[found.start() :]}".strip()
    return None


def _whole_counted(bare: str) -> bool:
    """Whether the clause limits the whole answer: "no more than one sentence per answer"."""
    return (
        re.search(r"\b(?:per|pro|par|por) (?:answer|reply|antwort|réponse|respuesta)\b", bare, re.I)
        is not None
    )


_LIST_AS_FORM: Final = re.compile(
    r"\b(?:in|as)\s+(?:an?\s+)?(?:bullets?(?:[- ]points?)?|bullet(?:ed)?[- ]lists?|lists?)\b",
    re.IGNORECASE,
)
_BESIDE_A_FORM: Final = frozenset((
    "a", "again", "all", "always", "and", "answer", "answers", "any", "back", "be", "every",
    "everything", "explain", "for", "format", "from", "give", "have", "i", "i'd", "in", "instead",
    "it", "just", "keep", "like", "list", "me", "must", "my", "need", "now", "of", "on", "only",
    "please", "pls", "put", "replies", "reply", "respond", "response", "responses", "say",
    "should", "stuff", "talk", "tell", "that", "the", "them", "thing", "things", "this", "to",
    "us", "use", "want", "whole", "will", "with", "would", "write", "you", "your",
))  # fmt: skip
"""Words of a rule that name neither a part of an answer nor a form of it."""


def without_list_as_form(text: str) -> str:
    """Return a rule without "in bullet points" and the like, by which it may name the form that it
    asks for.
    """
    return _LIST_AS_FORM.sub(" ", text)


def names_list_as_form(text: str) -> bool:
    """Whether "in bullet points" or the like is the form that a rule asks for, as in "answer in
    bullet points"; in "no commas in bullet points" it is a part of the answer.
    """
    rest, found = _LIST_AS_FORM.subn(" ", text.lower())
    return found > 0 and _BESIDE_A_FORM.issuperset(re.findall(r"[\w']+", rest))


_IN_A_PART: Final = re.compile(
    r"\b(?:in|inside|within|im|ins|in den|dans|en|for|of)\s+(?:(?:the|my|our|your|any|all|les?|"
    r"los|las|den|"
    r"meinen?)\s+)?(?:headings?|headers?|titles?|subjects?|subject lines?|headlines?|bullets?|"
    r"bullet points|lists?|tables?|"
    r"(?:file|variable|function|branch|class|method)\s?names?|docstrings?|strings|intro\w*|"
    r"greetings?|salutations?|signatures?|openings?|closings?|first \w+|last \w+|überschriften|"
    r"titeln?|"
    r"betreff\w*|listen|anreden?|titres?|objet|títulos?|listas?|asuntos?|footnotes?|quotes|dialogues?)\b",
    re.IGNORECASE,
)


def concerns_unchecked_part(clause: str) -> bool:
    """Whether a clause of a user's rule is about a part of the answer for which there is no check,
    such as headings.
    """
    return _IN_A_PART.search(mask_quoted(clause)) is not None


def part_check(clause: str) -> Check | None:
    """Return the check (an exact test) that a clause of a user's rule asks for in one part of the
    answer, such as each bullet; None if the clause is not understood.
    """
    named = part_named(clause)
    if named is None:
        return None
    part, text = named
    bare = mask_quoted(text)
    if part is Part.LIST:
        return _of_a_list(text)
    if part is Part.CODE_LINES and (
        found := amounts.amount_range(text, r"lines of code|code lines")
    ):
        least, most = found.at_least, found.at_most
        return Check(kind=CheckKind.LINES, at_least=least, at_most=most, part=Part.CODE)
    if (texts := quoted(text)) and len(texts) == 1:
        return _placed(part, bare, texts[0])
    return None if texts else _counted(part, text) or _letters(part, bare)


def _of_a_list(text: str) -> Check | None:
    found = amounts.amount_range(text, LENGTH_NOUNS[CheckKind.BULLETS] + "|entries|punkten?|puntos")
    if found is None or not (found.at_least or found.at_most):
        return None
    return Check(
        kind=CheckKind.LINES, at_least=found.at_least, at_most=found.at_most, part=Part.LIST
    )


def _placed(part: Part, bare: str, value: str) -> Check | None:
    kinds = {
        kind
        for kind, verb in (
            (CheckKind.STARTS, _STARTS), (CheckKind.ENDS, _ENDS), (CheckKind.CONTAINS, _CONTAINS),
        )
        if verb.search(re.sub(r"^\W*(?:finish|end|close)\b(?=.*\bline\b)", "", bare, flags=re.I))
    }  # fmt: skip
    if part is Part.FIRST_LINE and not kinds and _IS.search(bare):
        return Check(kind=CheckKind.STARTS, value=value)
    if part is Part.LAST_LINE and not kinds and _IS.search(bare):
        return Check(kind=CheckKind.ENDS, value=value.rstrip("."))
    if len(kinds - {CheckKind.CONTAINS}) == 1:
        kinds -= {CheckKind.CONTAINS}
    if len(kinds) != 1:
        return None
    if part not in (Part.FIRST_LINE, Part.LAST_LINE) and has_negation(bare):
        return Check(kind=kinds.pop(), value=value, must=False, part=part)
    return Check(kind=kinds.pop(), value=value, must=not has_negation(bare), part=part)


def _counted(part: Part, text: str) -> Check | None:
    for kind, noun in _COUNTS.items():
        if kind is _OWN.get(part):
            continue
        found = amounts.amount_range(text, noun, limit=True)
        if found is not None and (found.at_least or found.at_most):
            least, most = found.at_least, found.at_most
            if has_negation(text) and re.search(
                r"\b(?:no|kein\w*|aucune?|ningun\w*)\b", text, re.I
            ):
                least, most = _longest(text, least, most)
            return Check(kind=kind, at_least=least, at_most=most, part=part)
    return None


def _longest(text: str, least: int | None, most: int | None) -> tuple[int | None, int | None]:
    """Turns a negated "longer than" into a limit: "No sentence longer than 20 words"."""
    if least is not None and most is None:
        return None, least - 1
    return least, most


def _letters(part: Part, bare: str) -> Check | None:
    """Return the check on case (lower case, capitals) or on a full stop at the end."""
    first = _STARTS.search(bare) is not None
    where = Part.FIRST_LETTER if first and part is Part.FIRST_LINE else part
    if re.search(_FULL_STOP, bare, re.I) and (_ENDS.search(bare) or re.search(r"\bend\b", bare)):
        return Check(kind=CheckKind.ENDS, value=".", must=not has_negation(bare), part=part)
    if first and (where is part or re.search(_OTHER_START, bare, re.I)):
        return None
    small, capital = re.search(SMALL_LETTERS, bare, re.I), re.search(CAPITAL_LETTERS, bare, re.I)
    if bool(small) == bool(capital) or (part in (Part.ITEMS, Part.SENTENCES) and not first):
        return None
    if has_negation(bare) and not first:
        return None
    wants_small = bool(small) != has_negation(bare)
    return Check(kind=CheckKind.LOWER_CASE if wants_small else CheckKind.UPPER_CASE, part=where)
