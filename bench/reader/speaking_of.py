"""Whether a rule is about a request: yes, no, or cannot be told.

"No" makes an answer keep the rule, so it needs as good a proof as "yes": a question that is no
request for a mail, a request that asks for a poem, code of another language. The kinds that a
reader tells with a probability (`lull.backends.reader.request_kinds`) count only where it is sure.

For `--judge-cases` alone, where a rule stands without the request that it was said after. Lull
itself knows that request and compares kinds (`lull.core.skills.kind_rules`), not these lists of
words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from bench.reader.kinds_named import (
    ALIKE,
    KINDS,
    QUESTION,
    RIVALS,
    TELLS_SOMEBODY,
    YES_NO,
    Kind,
)
from lull.core.checks.rules import code_language
from lull.core.checks.rules.phrases import (
    mask_quoted,
    with_straight_quotes,
    without_even_if,
    without_reason,
)
from lull.core.checks.rules.scope import scope_clause

_SMALL: Final = frozenset(
    [
        "a",
        "about",
        "all",
        "an",
        "answer",
        "answers",
        "any",
        "anything",
        "are",
        "ask",
        "asked",
        "asking",
        "bitte",
        "case",
        "demande",
        "dich",
        "do",
        "du",
        "every",
        "everything",
        "for",
        "future",
        "general",
        "give",
        "have",
        "help",
        "i",
        "ich",
        "in",
        "is",
        "it",
        "je",
        "make",
        "me",
        "message",
        "messages",
        "my",
        "nach",
        "need",
        "of",
        "on",
        "pido",
        "question",
        "questions",
        "replies",
        "reply",
        "request",
        "response",
        "responses",
        "show",
        "something",
        "te",
        "text",
        "that",
        "the",
        "there",
        "to",
        "tu",
        "um",
        "un",
        "una",
        "want",
        "we",
        "with",
        "write",
        "writing",
        "you",
        "your",
    ]
)

KindsOf = Callable[[str], Mapping[str, float]]
"""Function from a request to the probability of each kind by name; empty if nothing is known."""
IS_OF_KIND: Final = 0.5
"""Least total probability of a kind's names for which a request counts as of that kind."""
IS_ANOTHER: Final = 0.3
"""Least probability of another kind for which a request counts as not of a kind that is very
unlikely.
"""
NOT_OF_KIND: Final = 0.03

_LOOSE: Final = frozenset(("us", "mir", "moi", "mí", "others", "peopl", "anybody", "anyon", "work"))
_CODE: Final = (
    r"\b(?:in|for|about|of|my|any|give me|all|your|the|write|only|pure|raw|just|clean) (?:\w+ )?"
    r"(?:code|scripts?|snippets?)\b|^code\b|\bcode (?:you|block|answers?|examples?|samples?|only|"
    r"without)|\bprogramming\b|\bcoding\b|\bfunctions\b|\bscripts\b|\bsnippets\b|\bcode\b|"
    r"\bcódigo\b"
)
_ASKS_FOR_CODE: Final = (
    r"\bcode\b|\b(?:a|the|this|my) (?:\w+ )?(?:function|loop)\b|"
    r"\bfunction (?:that|to|which|for)|\bscript\b|\bsnippet|\bprogram\b|\bregex\b|"
    r"\bimplement\b|\brefactor|\bone-liner|\bfonction\b|\bfunktion\b|\bfunción\b|\bmethod "
    r"(?:that|to)"
)
_EXPLAINS: Final = re.compile(
    r"^(?:why|who|when|where|what(?:'s| is| are| was|s)|warum|wer|wann|wo|was ist|wie heißt|"
    r"pourquoi|qui|quand|où|qu'est|c'est quoi|por qué|quién|cuándo|dónde|qué es)\b",
    re.IGNORECASE,
)
"""Matches questions that ask for an explanation and not for code."""
_YES_NO_RULE: Final = (
    r"yes[-/ ]?(?:or[- ])?no (?:question|answer)|yes/no|ja[-/ ](?:oder[- ])?nein|oui ou non|"
    r"oui/non|sí o no|sí/no"
)
_WHOM: Final = (
    r"(?:mails?|letters?|messages?|briefen?|courriels?|correos?|posts?|texts?|reports?)\s+"
    r"(?:to|for|from|about|an|für|von|über|à|pour|a|para|de)\s+(?P<whom>(?:[^\s,.:;]+\s*){1,6})"
)


def speaks_of(
    rule: str, request: str, answer: str = "", kinds_of: KindsOf | None = None
) -> bool | None:
    """Whether the rule is about this request, None if unclear; a rule without a kind is about every
    request.
    """
    rule = with_straight_quotes(rule)
    said = scope_clause(rule)
    named = said or mask_quoted(without_reason(rule))
    request = with_straight_quotes(request).strip()
    if re.search(_YES_NO_RULE, named, re.IGNORECASE):
        return _is_yes_no(request)
    told = _told(named, request, answer, kinds_of)
    if told:
        verdict = True if True in told else False if set(told) == {False} else None
        return verdict if verdict is not True else _of_that_sort(named, request)
    words = unknown_words(without_even_if(said))
    if not words or any(word in request.lower() for word in words):
        return True
    return None


def _told(named: str, request: str, answer: str, kinds_of: KindsOf | None) -> list[bool | None]:
    """Return for each kind that the rule names whether the request is of that kind."""
    languages = code_language.named(named)
    if languages:
        return [_in_language(languages, request, answer)]
    kinds = {name: kind for name, kind in KINDS.items() if re.search(kind.names, named, re.I)}
    if "commit" in kinds or "application" in kinds:
        kinds.pop("text message", None)
        kinds.pop("letter", None)
    likely = kinds_of(request) if kinds_of is not None and kinds else {}
    told = [_is_of(name, kind, request, answer, likely) for name, kind in kinds.items()]
    if not told and re.search(_CODE, named, re.IGNORECASE):
        return [_is_code(request, answer)]
    return told


def _is_of(
    name: str, kind: Kind, request: str, answer: str, likely: Mapping[str, float]
) -> bool | None:
    if kind.shows and re.search(kind.shows, answer, re.IGNORECASE):
        return None if _other_thing(name, request) and not _asked(kind, request) else True
    asked = _asked(kind, request)
    question = re.search(QUESTION, request, re.IGNORECASE) is not None
    if asked:
        return None if question and not kind.by_question else True
    if _other_thing(name, request):
        return False
    if question and not kind.by_question:
        return False
    if not likely:
        return None
    own = sum(likely.get(one, 0.0) for one in kind.known_as)
    if own >= IS_OF_KIND:
        return True
    others = max(p for one, p in likely.items() if one not in kind.known_as)
    tells = re.search(TELLS_SOMEBODY, request, re.IGNORECASE) is not None
    return False if own <= NOT_OF_KIND and others >= IS_ANOTHER and not tells else None


def _asked(kind: Kind, request: str) -> bool:
    return re.search(kind.asks, request, re.IGNORECASE) is not None


def _other_thing(name: str, request: str) -> bool:
    """Whether the request is for another kind of thing to be written, or for telling somebody
    something.
    """
    near = {one for group in ALIKE if name in group for one in group}
    tells = re.search(TELLS_SOMEBODY, request, re.IGNORECASE) is not None
    if tells and name not in ("email", "letter", "text message", "invitation", "application"):
        return True
    return any(
        _asked(KINDS[rival], request) and not re.search(QUESTION, request, re.IGNORECASE)
        for rival in RIVALS
        if rival != name and rival not in near and rival in KINDS
    )


def _is_code(request: str, answer: str) -> bool | None:
    asked = re.search(_ASKS_FOR_CODE, request, re.IGNORECASE) or code_language.named(request)
    if asked or code_language.code_languages_in(answer):
        return True
    if code_language.has_code(answer):
        return None
    return False if _EXPLAINS.search(request) or _other_thing("code", request) else None


def _in_language(wanted: set[str], request: str, answer: str) -> bool | None:
    shown, asked = code_language.code_languages_in(answer), code_language.named(request)
    if asked & wanted or (shown & wanted and not asked):
        return True
    if asked or shown:
        return False
    return False if _is_code(request, answer) is False else None


def _is_yes_no(request: str) -> bool | None:
    if re.search(YES_NO, request, re.IGNORECASE):
        return True
    asks_more = re.match(r"(?:what|who|whose|where|when|why|how|which)\b", request, re.IGNORECASE)
    return False if asks_more else None


def _of_that_sort(named: str, request: str) -> bool | None:
    """Whether the request is of the narrower sort that a rule names, as in "mails to our suppliers
    in Porto"; a proper name in both decides.
    """
    found = re.search(_WHOM, named, re.IGNORECASE)
    if found is None:
        return True
    names = re.findall(r"\b(?:in|at|from|aus|de|en|à)\s+([A-ZÄÖÜÉ]\w+)", found["whom"])
    plain = [word for word in unknown_words(found["whom"]) if word not in _LOOSE]
    if names:
        return True if all(name.lower() in request.lower() for name in names) else None
    return True if all(word in request.lower() for word in plain[:1]) else None


def unknown_words(said: str) -> list[str]:
    """Return the stems of the words in a rule's condition that carry meaning."""
    words = re.findall(r"[^\W\d_]{2,}", said.lower())
    return [_stem(word) for word in words if word not in _SMALL]


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|en|n|ing|e|y)$", "", word) if len(word) > 4 else word
