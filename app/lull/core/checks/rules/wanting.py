"""Decides which quoted words a user's rule forbids in answers and which it wants.

A classifier often gets this wrong: "carries X", "X belongs in", "X is on my blacklist". So the
words around each quotation decide; where they say neither, there is no result. "« client » est
interdit, on dit « hôte »" forbids the first word; the second is a replacement that not every answer
must contain.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from lull.core.checks.rules.phrases import (
    QUOTED,
    has_negation,
    is_double_negation,
    is_never_left_out,
    mask_quoted,
)

_NAMED: Final = re.compile(
    r"\b(?P<before>(?:the|das|le|la|el) (?:word|phrase|term|expression|wort|mot|expression|palabra|"
    r"término))\s+(?P<word>(?!(?:and|or|in|is|on|at|und|oder|ist|et|ou|est|y|o|es|of|count|limit|"
    r"that|must|may|should)\b)[\w][\w'’-]*(?:\.\w+)?)(?=\s*(?:[.,;!)]|$)|\s(?:in|is|at|on|from|"
    r"anywhere|somewhere|ever|again|must|may|should|has|as|nie|ist|est|es|dans|en|to|for)\b)",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(
    r"\b(?P<before>call(?:ing)? (?:me|him|her|them|us|it|my \w+)) (?P<word>(?-i:[A-ZÄÖÜ])[\w'-]+)",
    re.IGNORECASE,
)
_CODE_NAME: Final = re.compile(
    r"(?<![\w\"'`«])(?P<before>)(?P<word>[a-z_]\w+\.(?!js\b|com\b|g\b|e\b)[a-z_]\w+(?:\(\))?|\w+\(\)|"
    r"SELECT \*)(?![\w\"'`»])"
)
_JOINED: Final = re.compile(
    r"[\s,/]*(?:(?:and|or|nor|und|oder|noch|et|ou|ni|y|o|u)\s+)?(?:also\s+)?(?:the\s+|das\s+|le\s+)?"
    r"(?:words?\s+|phrases?\s+|wörter\s+|mots?\s+|palabras?\s+)?",
    re.IGNORECASE,
)
_BANNED_BEHIND: Final = re.compile(
    r"^\W*(?:(?!use\b|say\b|write\b)[^\W\d]+\W+){0,5}?(?:black ?list\w*|ban(?:ned)?|forbidden|"
    r"taboo|"
    r"tabu|off[- ]limits|no place|not allowed|unwelcome|never|nie\b|niemals|nicht|not|no-go|"
    r"must not|"
    r"shouldn't|mustn't|cannot|can't|out\b|gestrichen|verboten|interdit\w*|banni\w*|proscri\w*|"
    r"jamais|pas\b|prohibid\w*|vetad\w*|nunca|hate|dislike|annoys?|gone|goes|weg\b|raus\b|sobra\w*)",
    re.IGNORECASE,
)
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|in place of|statt|anstatt|anstelle|au lieu d[eu']?|plutôt que|"
    r"en vez de|en lugar de|replace|ersetze)\s*(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_WANTS: Final = re.compile(
    r"\b(?:includ\w+|mention\w*|contain\w*|add|put|must|has to|have to|should|needs?|carr(?:y|ies)|"
    r"belongs?|appears?|features?|with|use the (?:word|phrase)|name|quote|somewhere|anywhere|"
    r"enthalt\w*|enthält|erwähn\w*|muss|müssen|gehör\w*|steht|stehen|nenn\w*|irgendwo|"
    r"contien\w+|contenir|mentionn\w*|doit|doivent|figur\w+|mets|quelque part|"
    r"incluy\w*|contenga\w*|debe\w*|aparec\w+|aparezca\w*|menciona\w*)\b",
    re.IGNORECASE,
)
_SAYS: Final = re.compile(
    r"\b(?:use|say|says|saying|write|call|prefer|it's|always|sag\w*|schreib\w*|verwend\w*|heißt|immer|"
    r"dis|dit|dites|écri\w+|utilise\w*|toujours|di|dice|decimos|usa|escrib\w+|siempre|instead)\b|^\W*$",
    re.IGNORECASE,
)
"""Matches descriptions of words said on occasion, which need not occur in every answer."""
_TIMES: Final = re.compile(
    r"\b(?:once|twice|times|at (?:most|least)|more than|einmal|zweimal|mal|une fois|fois|una "
    r"vez|veces)\b",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"\b(?:like|such as|e\.g\.|for example|for instance|wie|z\. ?b\.|etwa|zum beispiel|comme|"
    r"par exemple|como|por ejemplo)\s*[:,]?\s*$",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:end|start|begin|clos|open|sign|finish|bottom|top|last|first|beginn|beend|schließ|schluss|"
    r"anfang|fang|endet|title|heading|subject|headline|betreff|überschrift|titre|título|asunto|"
    r"commenc|termin|finis|début|fin\b|empie|empez|comien|acab|firma|unterschr)",
    re.IGNORECASE,
)


def names_place(rule: str) -> bool:
    """Whether a rule names a place of an answer, such as its end, apart from what it quotes."""
    return _PLACE.search(mask_quoted(rule)) is not None


class _Use(Enum):
    WANTED = auto()
    FORBIDDEN = auto()
    INSTEAD = auto()
    """The quoted word is a replacement for another, used only on occasion."""


class WantedWords(NamedTuple):
    """The words that a rule demands of an answer, and those that it forbids."""

    words: tuple[str, ...]
    forbidden: tuple[str, ...]


def with_named_words_quoted(text: str) -> str:
    """Return the rule with quotation marks added around words that it names without them: "the word
    however", "call him Bob".
    """
    for form in (_NAMED, _CALLED, _CODE_NAME):
        here = form.search(mask_quoted(text))
        if here is not None and text[here.start() : here.end()] == here[0]:
            said = here["before"] + " " if here["before"] else ""
            text = f'{text[: here.start()]}{said}"{here["word"]}"{text[here.end() :]}'
    return text


def wanted_words(text: str) -> WantedWords | None:
    """Return the quoted words that a user's rule wants in answers, and those that it forbids; None
    if nothing is quoted or the rule is unclear.
    """
    found = list(QUOTED.finditer(text))
    bare = mask_quoted(text)
    groups: list[list[re.Match[str]]] = []
    for one in found:
        between = bare[groups[-1][-1].end() : one.start()] if groups else ""
        if groups and _JOINED.fullmatch(between):
            groups[-1].append(one)
        else:
            groups.append([one])
    words: list[str] = []
    forbidden: list[str] = []
    replacing = False
    for place, group in enumerate(groups):
        lead = bare[groups[place - 1][-1].end() if place else 0 : group[0].start()]
        last = place + 1 == len(groups)
        tail = bare[group[-1].end() : None if last else groups[place + 1][0].start()]
        use = _use(lead, tail, first=place == 0)
        values = [next(part for part in one.groups() if part).strip(" ,.;") for one in group]
        if use is None or not all(values):
            return None
        replacing |= use is _Use.INSTEAD
        if use is not _Use.INSTEAD:
            (words if use is _Use.WANTED else forbidden).extend(values)
    if not (words or forbidden) or (replacing and not forbidden):
        return None
    return WantedWords(tuple(words), tuple(forbidden))


def _use(lead: str, tail: str, *, first: bool) -> _Use | None:
    # After the last quotation, the text up to a comma belongs to that one.
    lead = lead if first else re.split(r"[,;:.–—]", lead, maxsplit=1)[-1]
    tail = re.split(r"[,;:.–—](?!\s*(?:never|nie|jamais|nunca|not ever)\b)", tail, maxsplit=1)[0]
    if _EXAMPLE.search(lead) or _PLACE.search(lead) or _PLACE.search(tail) or _TIMES.search(tail):
        return None
    if _INSTEAD.search(lead):
        return _Use.FORBIDDEN
    before, behind = has_negation(lead), _BANNED_BEHIND.match(tail) is not None
    if is_never_left_out(lead, tail):
        return _Use.WANTED
    if before and re.match(r"\W*without\b", tail, re.IGNORECASE):
        return None  # only without something else is it forbidden
    if is_double_negation(lead):
        return None if behind else _Use.WANTED
    if before and behind:
        return None if re.search(r"\bnot\b", tail) else _Use.FORBIDDEN
    if before or behind:
        return _Use.FORBIDDEN
    if _WANTS.search(lead) or _WANTS.search(tail):
        return _Use.WANTED
    return _Use.INSTEAD if _SAYS.search(lead) else None
