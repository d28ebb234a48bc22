"""Reads what a rule means from the answer that the user complained of.

People say "fifty words and stop", "eight sentences, that's what we agreed", "so many dashes": the
words around a number, a form or a sign tell in countless ways whether it is a maximum or a minimum,
wanted or unwanted. But a user complains of an answer that is too long only where they want fewer,
of one that is too short where they want more, and of one without bullets where they want them. So a
classifier says what the rule is about, and the answer decides the rest: of the numbers, signs,
units or quoted texts that the rule or the message names, the rule means the one that the answer
fails. Nothing is concluded where that leaves none or several.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, CheckLibraries
from lull.core.checks.check_answer import passes_check
from lull.core.checks.rules import amounts
from lull.core.checks.rules.choices import choices_named, other_choice
from lull.core.checks.rules.part_forms import (
    CAPITAL_LETTERS,
    SMALL_LETTERS,
    concerns_unchecked_part,
    part_named,
)
from lull.core.checks.rules.phrases import (
    LENGTH_NOUNS,
    NUMBERED_LISTS,
    ONE_PART,
    conditional,
    has_negation,
    is_forbidden,
    quoted,
    with_straight_quotes,
)
from lull.core.checks.signs import folded

_COUNTED: Final = (
    CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES,
    CheckKind.CHARACTERS,
)  # fmt: skip
_FORMS: Final = (
    CheckKind.BULLETS, CheckKind.NUMBERED_LIST, CheckKind.LOWER_CASE, CheckKind.UPPER_CASE,
    CheckKind.NO_BULLETS, CheckKind.NO_CONTRACTIONS, CheckKind.NO_EMOJI, CheckKind.NO_PREAMBLE,
    CheckKind.NO_CLOSING_QUESTION, CheckKind.NO_APOLOGY, CheckKind.NO_CODE_COMMENTS,
    CheckKind.TYPE_HINTS, CheckKind.CODE_ONLY, CheckKind.PLAIN_TEXT,
)  # fmt: skip
"""Kinds of check without a parameter. A user who complains of an answer may mean that it fails one
of them.
"""
_NAMED_FORMS: Final = {
    CheckKind.BULLETS: LENGTH_NOUNS[CheckKind.BULLETS],
    CheckKind.NUMBERED_LIST: NUMBERED_LISTS,
    CheckKind.LOWER_CASE: SMALL_LETTERS,
    CheckKind.UPPER_CASE: CAPITAL_LETTERS,
}
"""Patterns of the words for a form, such as a numbered list; an answer without this form may have
the other one.
"""
_CHOSEN: Final = (
    CheckKind.LANGUAGE, CheckKind.NO_SIGN, CheckKind.UNITS, CheckKind.DATE_FORMAT,
    CheckKind.TIME_FORMAT, CheckKind.QUOTE_STYLE,
)  # fmt: skip
"""Classes whose parameter is one of a few known things."""
_PAIRS: Final = {
    CheckKind.TIME_FORMAT: ("12h", "24h"),
    CheckKind.UNITS: ("metric", "imperial"),
}
"""Classes of two things, of which the answer can only lack the one that the user wants."""
_WANTED_TEXTS: Final = (CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS)
_ONLY_LESS: Final = (CheckKind.WORDS, CheckKind.CHARACTERS)
"""Lengths of which people name a larger number than the answer has only to exaggerate it."""


def disputed_check(
    kind_class: str,
    rule: str,
    answer: str,
    *,
    complaint: str = "",
    tools: CheckLibraries = NO_LIBRARIES,
) -> Check | None:
    """Return the check that a rule means if the user complained of this answer: of a form that the
    answer lacks, of the rule's only number, as a maximum if the answer has more and as a minimum if
    it has fewer, or of the one sign, unit, language or quoted text named that the answer fails.
    None where that leaves a doubt.

    `kind_class` is the class of check that a classifier predicts for the rule; `complaint` is the
    whole message, if the reader takes it for one that complains of the answer. Only then does a
    rule that names what the answer has mean the other of two things ("AM hurts my eyes").
    """
    # Who asks "could you stop that?" behind an answer wants it stopped.
    text = rule.lower().replace("’", "'").rstrip(" ?")
    if conditional(text) or part_named(text) is not None or concerns_unchecked_part(text):
        return None
    fails = _Failing(answer, tools)
    if kind_class in (*_COUNTED, *_FORMS) and ONE_PART.search(text):
        return None
    if kind_class in _FORMS:
        form = CheckKind(kind_class)
        # the answer that lacks this form may have another one that is meant
        return None if _forbids(form, text) else fails.only([Check(kind=form)])
    if kind_class in _COUNTED:
        return _amount(CheckKind(kind_class), text, fails)
    texts = [with_straight_quotes(one) for one in (rule, complaint)]
    if kind_class in _CHOSEN:
        return _choice(CheckKind(kind_class), texts, fails, complains=bool(complaint))
    if kind_class == CheckKind.NOT_CONTAINS:
        return _unwanted_text(texts, answer)
    if kind_class in _WANTED_TEXTS and not has_negation(text):
        kind = CheckKind(kind_class)
        return fails.only([Check(kind=kind, value=one.strip()) for one in quoted(texts[0])])
    return None


def _forbids(kind: CheckKind, text: str) -> bool:
    """Whether the words refuse a form that they name, such as a list or small letters."""
    names = _NAMED_FORMS.get(kind)
    named = re.finditer(rf"\b(?:{names})", text) if names else ()
    return any(is_forbidden(text, found) for found in named)


class _Failing:
    """Tells which checks the answer fails that the user complained of."""

    def __init__(self, answer: str, tools: CheckLibraries) -> None:
        self._answer, self._tools = answer, tools

    def __call__(self, check: Check) -> bool:
        return passes_check(check, self._answer, self._tools) is False

    def only(self, checks: Sequence[Check]) -> Check | None:
        """Return the only check that the answer fails; None if there are none or several."""
        failed = [check for check in checks if self(check)]
        return failed[0] if len(failed) == 1 else None


def _choice(
    kind: CheckKind, texts: Sequence[str], fails: _Failing, *, complains: bool
) -> Check | None:
    named = next((found for text in texts if (found := choices_named(kind, text))), [])
    if complains:
        others = [other_choice(name) for name in named if not fails(Check(kind=kind, value=name))]
        named = [*named, *filter(None, others)] if named else list(_PAIRS.get(kind, ()))
    return fails.only([Check(kind=kind, value=name) for name in dict.fromkeys(named)])


def _unwanted_text(texts: Sequence[str], answer: str) -> Check | None:
    """The quoted texts of the rule, or else of the complaint, that stand in the answer."""
    stands = folded(answer).lower()
    for text in texts:
        found = [one.strip(" ,.;") for one in quoted(text)]
        found = [one for one in found if one and folded(one).lower() in stands]
        if found:
            return Check(kind=CheckKind.NOT_CONTAINS, value="\n".join(dict.fromkeys(found)))
    return None


def _amount(kind: CheckKind, text: str, fails: _Failing) -> Check | None:
    number = _only_number(kind, text)
    if number is None:
        return None
    most = Check(kind=kind, at_most=number)
    if fails(most):
        return most
    least = Check(kind=kind, at_least=number)
    fewer = kind not in _ONLY_LESS and not has_negation(text)
    return least if fewer and fails(least) else None


def _only_number(kind: CheckKind, text: str) -> int | None:
    numbers = list(amounts.BARE.finditer(text))
    found = list(amounts.amount_of(LENGTH_NOUNS[kind]).finditer(text))
    if len(numbers) != 1 or len(found) != 1 or found[0]["two"]:
        return None
    return amounts.value(found[0]["one"])
