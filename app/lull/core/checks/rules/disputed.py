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

from lull.core.checks import language
from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, CheckLibraries
from lull.core.checks.check_answer import passes_check
from lull.core.checks.formats import ALLOWED_DATES
from lull.core.checks.rules import amounts
from lull.core.checks.rules.choices import choices_named, other_choice
from lull.core.checks.rules.part_forms import (
    CAPITAL_LETTERS,
    SMALL_LETTERS,
    concerns_unchecked_part,
    part_named,
    without_list_as_form,
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
    without_leading_no,
)
from lull.core.checks.rules.wanting import names_place
from lull.core.checks.signs import SIGNS, folded

_COUNTED: Final = (
    CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES,
    CheckKind.CHARACTERS,
)  # fmt: skip
FORMS: Final = (
    CheckKind.BULLETS, CheckKind.NUMBERED_LIST, CheckKind.LOWER_CASE, CheckKind.UPPER_CASE,
    CheckKind.NO_BULLETS, CheckKind.NO_CONTRACTIONS, CheckKind.NO_EMOJI, CheckKind.NO_PREAMBLE,
    CheckKind.NO_CLOSING_QUESTION, CheckKind.NO_APOLOGY, CheckKind.NO_CODE_COMMENTS,
    CheckKind.TYPE_HINTS, CheckKind.CODE_ONLY, CheckKind.PLAIN_TEXT, CheckKind.JSON,
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
CHOSEN: Final = (
    CheckKind.LANGUAGE, CheckKind.NO_SIGN, CheckKind.UNITS, CheckKind.DATE_FORMAT,
    CheckKind.TIME_FORMAT, CheckKind.QUOTE_STYLE,
)  # fmt: skip
"""Classes whose parameter is one of a few known things."""
_PAIRS: Final = {
    CheckKind.TIME_FORMAT: ("12h", "24h"),
    CheckKind.UNITS: ("metric", "imperial"),
}
"""Classes of two things, of which the answer can only lack the one that the user wants."""
_LISTS: Final = (CheckKind.BULLETS, CheckKind.NUMBERED_LIST)
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
    text = rule.lower().replace("’", "'").replace("?", " ").rstrip()
    names_list = kind_class in _LISTS
    unchecked = concerns_unchecked_part(without_list_as_form(text) if names_list else text)
    if conditional(text) or part_named(text) is not None or unchecked:
        return None
    fails = _Failing(answer, tools)
    if kind_class in FORMS:
        return _form(CheckKind(kind_class), text, fails)
    if kind_class in _COUNTED:
        return _amount(CheckKind(kind_class), text, fails)
    texts = [with_straight_quotes(one) for one in (rule, complaint)]
    if kind_class == CheckKind.INDENT:
        return _indent(texts, fails)
    if kind_class in CHOSEN:
        return _choice(CheckKind(kind_class), texts, fails, complains=bool(complaint))
    if kind_class == CheckKind.NOT_CONTAINS:
        return _unwanted_text(texts, answer) or _shown_sign(texts[0], fails)
    if kind_class in _WANTED_TEXTS:
        return _wanted_text(CheckKind(kind_class), texts, answer, fails)
    return None


def _form(kind: CheckKind, text: str, fails: _Failing) -> Check | None:
    """The check of a form that the answer lacks, unless another one is meant: one that the words
    refuse, or a sign that they name and the answer has.
    """
    if (kind is not CheckKind.TYPE_HINTS and ONE_PART.search(text)) or _forbids(kind, text):
        return None
    if kind in _NAMED_FORMS and not names_form(kind, text):
        signs = choices_named(CheckKind.NO_SIGN, text)
        if any(fails(Check(kind=CheckKind.NO_SIGN, value=sign)) for sign in signs):
            return None
    return fails.only([Check(kind=kind)])


def names_form(kind: CheckKind, rule: str) -> bool:
    """Whether a rule names the form that a kind of check demands, such as a numbered list."""
    names = _NAMED_FORMS.get(kind)
    return names is not None and re.search(rf"\b(?:{names})", rule.lower()) is not None


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
    named = next((found for text in texts if (found := _named(kind, text))), [])
    wanted = [Check(kind=kind, value=name) for name in dict.fromkeys(named)]
    if complains and not any(map(fails, wanted)):
        others = filter(None, map(other_choice, named)) if named else _PAIRS.get(kind, ())
        wanted = [Check(kind=kind, value=name) for name in dict.fromkeys(others)]
    return fails.only(wanted)


def _named(kind: CheckKind, text: str) -> list[str]:
    """The things that a text names: of date formats the narrower ones ("day first, 14 March"), of
    quotation marks also those that it shows.
    """
    named = choices_named(kind, text)
    if kind is CheckKind.LANGUAGE:
        named = [code for code in named if code not in _refused_languages(text)]
    wider = {name for name in named if not ALLOWED_DATES.get(name, frozenset()).isdisjoint(named)}
    named = [name for name in named if name not in wider]
    if kind is CheckKind.QUOTE_STYLE and "«" in text and "guillemets" not in named:
        named.append("guillemets")
    return named


def _refused_languages(text: str) -> set[str]:
    """The languages that a text names with a negation, as in "no Latin, please"."""
    bare = without_leading_no(text)
    return {
        language.CODES[word[0].lower()]
        for word in re.finditer(r"[^\W\d_]+", bare)
        if word[0].lower() in language.CODES and is_forbidden(bare, word)
    }


def _indent(texts: Sequence[str], fails: _Failing) -> Check | None:
    """The indentation that the rule, or else the complaint, names and the answer lacks."""
    for text in texts:
        named = choices_named(CheckKind.INDENT, text)
        found = amounts.number_of(text, LENGTH_NOUNS[CheckKind.INDENT])
        width = found if found in _WIDTHS else None
        tabs = Check(kind=CheckKind.INDENT, value="tabs")
        spaces = Check(kind=CheckKind.INDENT, value="spaces", at_least=width, at_most=width)
        if named:
            return fails.only([check for check in (tabs, spaces) if check.value in named])
    return None


_WIDTHS: Final = range(1, 9)
"""Numbers of spaces by which code may be indented."""


def _wanted_text(
    kind: CheckKind, texts: Sequence[str], answer: str, fails: _Failing
) -> Check | None:
    """The only quoted text of the rule, or else of the complaint, that the answer lacks there. What
    is denied beside a text that is nowhere in the answer is something else.
    """
    rule, complaint = texts
    found = [one.strip() for one in quoted(rule) or quoted(complaint)]
    check = fails.only([Check(kind=kind, value=one) for one in found])
    if check is None or not has_negation(f"{rule} {complaint}"):
        return check
    absent = bool(complaint) and folded(check.value).lower() not in folded(answer).lower()
    return check if absent else None


def _unwanted_text(texts: Sequence[str], answer: str) -> Check | None:
    """The quoted texts of the rule, or else of the complaint, that stand in the answer."""
    if names_place(texts[0]):
        return None  # what is to stand at a place may stand at the wrong one
    stands = folded(answer).lower()
    for text in texts:
        found = [one.strip(" ,.;") for one in quoted(text)]
        found = [one for one in found if one and folded(one).lower() in stands]
        if found:
            return Check(kind=CheckKind.NOT_CONTAINS, value="\n".join(dict.fromkeys(found)))
    return None


_SIGN_ALONE: Final = re.compile(r"(?<!\S)[\"'«(]?\s?([^\w\s])\s?[\"'»)]?[.,]?(?!\S)")


def _shown_sign(rule: str, fails: _Failing) -> Check | None:
    """The only sign that stands in the rule between spaces, as "&" does, and that the answer has;
    none of those with which a sentence is written.
    """
    shown = {one[1] for one in _SIGN_ALONE.finditer(rule)} - set("-–—,;:!?¿¡…")
    names = [
        name for name, (sign, _) in SIGNS.items() if any(re.match(sign, f"{one} ") for one in shown)
    ]
    return fails.only([Check(kind=CheckKind.NO_SIGN, value=name) for name in names])


def _amount(kind: CheckKind, text: str, fails: _Failing) -> Check | None:
    clause = _clause_with_amount(kind, text)
    number = _only_number(kind, clause, text)
    if number is None or ONE_PART.search(clause):
        return None
    said = amounts.amount_range(clause, LENGTH_NOUNS[kind], limit=True)
    most = Check(kind=kind, at_most=said.at_most if said and said.at_most else number)
    if fails(most):
        return most
    least = Check(kind=kind, at_least=number)
    fewer = kind not in _ONLY_LESS and not has_negation(text)
    return least if fewer and fails(least) else None


def _clause_with_amount(kind: CheckKind, text: str) -> str:
    """The clause of a rule that has the amount; the whole rule if none has one or several have."""
    amount = amounts.amount_of(LENGTH_NOUNS[kind])
    found = [one for one in re.split(r"[.,;:!\n]\s", text) if amount.search(one)]
    return found[0] if len(found) == 1 else text


def _only_number(kind: CheckKind, clause: str, text: str) -> int | None:
    """The amount of a clause, if the whole text has no other number; "a" and "one" alone are none,
    as they may be articles.
    """
    numbers = [one for one in amounts.BARE.finditer(text) if one[0] not in amounts.ONES]
    found = list(amounts.amount_of(LENGTH_NOUNS[kind]).finditer(clause))
    if len(found) != 1 or found[0]["two"]:
        return None
    counted = found[0]["one"]
    return amounts.value(counted) if all(one[0] == counted for one in numbers) else None
