"""Finds the checks to propose behind an answer that the user complained of: from the words of the
rule, from the classes of check that a classifier finds possible, and from what the answer fails.

A classifier that is unsure between two classes, or between a class and none, often has the right
one among them, and the answer tells which: nobody complains of an answer for what it does. Nothing
is concluded where several classes are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lull.core.checks.check import Check, CheckKind, CheckLibraries, CheckSet
from lull.core.checks.check_answer import kept_parts, passes_check
from lull.core.checks.rules.disputed import CHOSEN, FORMS, disputed_check, names_form
from lull.core.checks.rules.phrases import quoted, with_straight_quotes
from lull.core.checks.rules.recognising import checks_for_rule, exact_set

_MANNERS: Final = (
    CheckKind.NO_PREAMBLE, CheckKind.NO_APOLOGY, CheckKind.NO_CONTRACTIONS, CheckKind.NO_EMOJI,
    CheckKind.NO_CLOSING_QUESTION,
)  # fmt: skip
"""Kinds of check that forbid what a user may quote instances of, such as "Great question!"."""
_PLACED: Final = (CheckKind.STARTS, CheckKind.ENDS)
_TOLD_APART: Final = (*FORMS, *CHOSEN)
"""Kinds of check of which the answer can tell whether an unsure classifier is right."""


def checks_behind(
    kind: str,
    rule: str,
    answer: str,
    complaint: str,
    possible: Sequence[str],
    *,
    tools: CheckLibraries,
) -> CheckSet | None:
    """Return the checks (programs that test answers) that a rule means which the user stated behind
    this answer; None if there are none or there is a doubt. The answer may pass them.

    `kind` is the class of check that a classifier predicts for the rule, and `possible` are those
    that it does not rule out, likeliest first. `complaint` is the user's whole message, if it
    complains of the answer, else "".
    """
    rule = _as_a_wish(rule) if complaint else rule
    exact = exact_set(rule)
    if exact is not None and (one := _meant_by_quotations(kind, exact, tools)) is not None:
        return CheckSet(checks=(one,), whole=exact.whole)
    stated = checks_for_rule(kind, rule)
    if stated is None and exact is not None:
        return None  # the classifier speaks against its words
    misread = stated is not None and bool(complaint) and _keeps_all(stated, answer, tools)
    if stated is not None and not misread:
        return stated
    one = None
    if stated is None or (kind in CHOSEN and all(check.kind == kind for check in stated.checks)):
        one = disputed_check(kind, rule, answer, complaint=complaint, tools=tools)
    if one is None and exact is None and complaint:
        one = _only_possible(kind, rule, answer, complaint, possible, tools=tools)
    return CheckSet(checks=(one,)) if one is not None else stated


def _as_a_wish(rule: str) -> str:
    """Return a rule that is asked for in a single question, "could you stop that?", without its
    question mark; behind an answer it is no condition.
    """
    text = rule.rstrip()
    return text[:-1].rstrip() if text.endswith("?") and text.count("?") == 1 else rule


def _keeps_all(stated: CheckSet, answer: str, tools: CheckLibraries) -> bool:
    """Whether an answer passes all checks that its rule seems to mean: who complains of such an
    answer does not mean them, or names what they do not want.
    """
    return all(verdict is True for verdict in kept_parts(stated, answer, tools))


def _meant_by_quotations(kind: str, exact: CheckSet, tools: CheckLibraries) -> Check | None:
    """Return the check of the classifier's class if the rule only quotes instances of what it
    forbids, as "great question" is one of a preamble, or quotes what is to stand at a place for
    which the exact wording knows no words; else None.
    """
    if kind in _MANNERS:
        check = Check(kind=CheckKind(kind))
        banned = [text for one in exact.checks for text in _banned_texts(one)]
        instances = banned and all(passes_check(check, one, tools) is False for one in banned)
        return check if instances and all(map(_banned_texts, exact.checks)) else None
    only = exact.checks[0]
    if kind in _PLACED and len(exact.checks) == 1 and only.kind is CheckKind.CONTAINS:
        return Check(kind=CheckKind(kind), value=only.value) if not only.part else None
    return None


def _banned_texts(check: Check) -> list[str]:
    """Return the texts that a check forbids anywhere or at the start of an answer."""
    if check.kind is CheckKind.NOT_CONTAINS:
        return check.value.split("\n")
    return [check.value] if check.kind is CheckKind.STARTS and not check.must else []


def _only_possible(
    kind: str,
    rule: str,
    answer: str,
    complaint: str,
    possible: Sequence[str],
    *,
    tools: CheckLibraries,
) -> Check | None:
    """Return the check of the only class, of those that the classifier does not rule out, that the
    rule can mean and the answer fails; None if there is none, or several.
    """
    found = [
        check
        for name in possible
        if name != kind
        and name in _TOLD_APART
        and (check := disputed_check(name, rule, answer, complaint=complaint, tools=tools))
    ]
    found = [check for check in found if _may_be_quoted(check, complaint, tools)]
    if len(found) > 1:
        found = [check for check in found if names_form(check.kind, rule)]
    if len(found) != 1:
        return None
    return None if _has_rival(found[0], possible, answer, tools) else found[0]


def _may_be_quoted(check: Check, said: str, tools: CheckLibraries) -> bool:
    """Whether a message that quotes texts may mean a check: one of them is what it forbids."""
    texts = quoted(with_straight_quotes(said)) if check.kind in _MANNERS else []
    return not texts or any(passes_check(check, one, tools) is False for one in texts)


def _has_rival(check: Check, possible: Sequence[str], answer: str, tools: CheckLibraries) -> bool:
    """Whether another class may have been meant, of the same property of an answer: one that the
    answer fails, or a likelier one. Its opposite is none if the answer has it, since nobody
    complains of that.
    """
    matter = check.kind.fixed_property
    likelier = possible[: possible.index(check.kind.value)]
    for name in possible:
        kind = CheckKind(name)
        if kind is check.kind or not matter or kind.fixed_property != matter:
            continue
        verdict = passes_check(Check(kind=kind), answer, tools)
        opposite = (kind, check.kind) in _OPPOSITES
        if verdict is False or (name in likelier and not (opposite and verdict)):
            return True
    return False


_OPPOSITES: Final = (
    (CheckKind.BULLETS, CheckKind.NO_BULLETS), (CheckKind.NO_BULLETS, CheckKind.BULLETS),
    (CheckKind.LOWER_CASE, CheckKind.UPPER_CASE), (CheckKind.UPPER_CASE, CheckKind.LOWER_CASE),
)  # fmt: skip
