"""Reads what a rule means from the answer that the user complained of.

People say "fifty words and stop", "eight sentences, that's what we agreed", "bullets, I said, not
one lump": the words around a number or a form tell in countless ways whether it is a maximum or a
minimum, wanted or unwanted. But a user complains of an answer that is too long only where they want
fewer, of one that is too short where they want more, and of one without bullets where they want
them. So the answer decides, and nothing is concluded where it is already so.
"""

from __future__ import annotations

from typing import Final

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.check_answer import passes_check
from lull.core.checks.rules import amounts
from lull.core.checks.rules.part_forms import concerns_unchecked_part, part_named
from lull.core.checks.rules.phrases import (
    LENGTH_NOUNS,
    ONE_PART,
    conditional,
    has_negation,
)

_COUNTED: Final = (
    CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES,
    CheckKind.CHARACTERS,
)  # fmt: skip
_FORMS: Final = (
    CheckKind.BULLETS, CheckKind.NUMBERED_LIST, CheckKind.LOWER_CASE, CheckKind.UPPER_CASE,
    CheckKind.NO_BULLETS, CheckKind.NO_CONTRACTIONS, CheckKind.NO_EMOJI,
    CheckKind.NO_CLOSING_QUESTION, CheckKind.NO_APOLOGY,
)  # fmt: skip
"""Classes without a parameter, of which an answer that is not so can be complained of."""
_ONLY_LESS: Final = (CheckKind.WORDS, CheckKind.CHARACTERS)
"""Lengths of which people name a larger number than the answer has only to exaggerate it."""


def disputed_check(kind_class: str, rule: str, answer: str) -> Check | None:
    """Return the check that a rule means if the user complained of this answer: of a form that the
    answer lacks, or of the rule's only number, as a maximum if the answer has more and as a minimum
    if it has fewer. None where that leaves a doubt.

    `kind_class` is the class of check that a classifier predicts for the rule.
    """
    text = rule.lower().replace("’", "'")
    unclear = conditional(text) or part_named(text) is not None or concerns_unchecked_part(text)
    if unclear or ONE_PART.search(text):
        return None
    if kind_class in _FORMS:
        form = Check(kind=CheckKind(kind_class))
        return form if passes_check(form, answer) is False else None
    return _amount(CheckKind(kind_class), text, answer) if kind_class in _COUNTED else None


def _amount(kind: CheckKind, text: str, answer: str) -> Check | None:
    number = _only_number(kind, text)
    if number is None:
        return None
    most = Check(kind=kind, at_most=number)
    if passes_check(most, answer) is False:
        return most
    least = Check(kind=kind, at_least=number)
    fewer = kind not in _ONLY_LESS and not has_negation(text)
    return least if fewer and passes_check(least, answer) is False else None


def _only_number(kind: CheckKind, text: str) -> int | None:
    numbers = list(amounts.BARE.finditer(text))
    found = list(amounts.amount_of(LENGTH_NOUNS[kind]).finditer(text))
    if len(numbers) != 1 or len(found) != 1 or found[0]["two"]:
        return None
    return amounts.value(found[0]["one"])
