"""Turns a user's rule in plain language ("at most 100 words") into a check, a program that tests
answers.

`derive` gets the class of check from a classifier (part of the small model that reads what users
write) and takes only the parameters from the rule's text: numbers, quoted words, names of signs,
units and languages. `exact_check` works without the classifier: it knows a few exact wordings and
rather returns no check than a wrong one. `checks_for_rule` combines both. A rule gives no check if
it is conditional, vague, has two meanings, or is about a part of an answer that is not understood.
"""

from __future__ import annotations

from typing import Final

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.rules.forms import FORMS
from lull.core.checks.rules.parameters import parameters
from lull.core.checks.rules.part_forms import (
    concerns_unchecked_part,
    names_list_as_form,
    part_check,
    part_named,
)
from lull.core.checks.rules.phrases import (
    clauses,
    conditional,
    has_negation,
    is_demand,
    is_double_negation,
    is_repetition,
    order_behind_negation,
    with_apostrophes,
    with_straight_quotes,
    without_even_if,
    without_leading_no,
    without_reason,
)
from lull.core.checks.rules.scope import without_scope_clause
from lull.core.checks.rules.wanting import with_named_words_quoted
from lull.core.checks.text import sentences

_DENYING: Final = frozenset(kind for kind in CheckKind if kind.value.startswith("no_"))
_ORDERING: Final = frozenset((CheckKind.BULLETS, CheckKind.NUMBERED_LIST))
"""Classes that only order what a rule may forbid as well, which the classifier does not tell."""
_FAMILIES: Final = (
    frozenset((
        CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES,
        CheckKind.CHARACTERS,
    )),
    frozenset((
        CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS, CheckKind.NOT_CONTAINS,
        CheckKind.NO_PREAMBLE,
    )),
    frozenset((
        CheckKind.BULLETS, CheckKind.NO_BULLETS, CheckKind.NUMBERED_LIST, CheckKind.LINES,
    )),
    frozenset((CheckKind.LOWER_CASE, CheckKind.UPPER_CASE)),
    frozenset((CheckKind.NO_EMOJI, CheckKind.EMOJIS)),
    frozenset((CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS, CheckKind.EMOJIS)),
    frozenset((CheckKind.NO_SIGN, CheckKind.QUOTE_STYLE)),
    frozenset((CheckKind.JSON, CheckKind.CODE_ONLY)),
)  # fmt: skip
"""Groups of classes that the classifier confuses. Within a group the exact wording is right: it has
the counted noun, the quoted word and its place, or the sign's name, while the classifier goes by
meaning, and "sentence" is close to "line" in meaning.
"""


def checks_for_rule(kind_class: str, rule: str) -> list[Check]:
    """Return all checks (exact tests of an answer) that a rule in plain language means. They follow
    from `kind_class`, the class that a classifier predicts for the rule, and from exact wordings;
    none if these two contradict each other and neither is certain.
    """
    exact = exact_checks(rule)
    if not exact:
        one = derive(kind_class, rule, "", "")
        return [one] if one is not None else []
    return exact if _agree(kind_class, exact) or _forbids_in_vain(kind_class, rule, exact) else []


def _agree(kind_class: str, exact: list[Check]) -> bool:
    kinds = {check.kind for check in exact}
    if kind_class in ("", "none") or kind_class in {kind.value for kind in kinds}:
        return True
    if any(check.part for check in exact):
        return True  # the head has no class for a part of an answer
    return any(
        kinds & family and kind_class in {kind.value for kind in family} for family in _FAMILIES
    )


def _forbids_in_vain(kind_class: str, rule: str, exact: list[Check]) -> bool:
    """Whether the classifier takes a rule for one that forbids something, though neither its words
    nor its exact meaning forbid anything: such a class says nothing against that meaning.
    """
    return (
        kind_class in {kind.value for kind in _DENYING}
        and not has_negation(without_leading_no(rule))
        and not any(
            check.kind in _DENYING or check.kind is CheckKind.NOT_CONTAINS or not check.must
            for check in exact
        )
    )


def derive(kind_class: str, rule: str, asked: str, answer: str) -> Check | None:
    """Return the check (an exact test of an answer) that a rule in plain language means.
    `kind_class` is the class of check that a classifier predicts for the rule; the rule's text
    gives the parameters. None if a needed parameter is not in it.

    `asked` and `answer` are the request and the answer after which the user stated the rule.
    """
    try:
        kind = CheckKind(kind_class)
    except ValueError:
        return None
    text = _order(rule)
    if conditional(text):
        return None
    text = without_reason(without_even_if(text))
    if part_named(text) is not None:
        return part_check(text)
    if concerns_unchecked_part(text) and not (kind in _ORDERING and names_list_as_form(text)):
        return None
    # The head tells the subject; the words tell whether it is wanted or forbidden.
    if kind in _DENYING and not has_negation(without_leading_no(rule)):
        return None
    if kind in _ORDERING and _is_denied(text):
        return None
    found, order = parameters(kind, text), order_behind_negation(text)
    alone = parameters(kind, order) if order else None
    if found is None or alone is None or _sides([alone]) == _sides([found]):
        return found
    return None


def _is_denied(text: str) -> bool:
    """Whether a text may forbid what it names; behind "Not like this, …" stands an order."""
    order = order_behind_negation(text) or text
    return has_negation(order) and not is_double_negation(order)


def exact_check(rule: str) -> Check | None:
    """Return the check (an exact test of an answer) that a rule in plain language means by its
    exact wording, without a classifier; None unless the whole rule certainly means this one check.
    """
    found = exact_checks(rule)
    return found[0] if len(found) == 1 else None


def exact_checks(rule: str) -> list[Check]:
    """Return all checks (exact tests of an answer) that a rule in plain language means by its exact
    wording, without a classifier; none if any part of the rule is not understood.
    """
    text = _order(rule)
    if conditional(text):
        return []
    found: dict[Check, None] = {}
    for clause in clauses(text):
        here = _of_clause(without_reason(clause))
        if not here and is_demand(clause) and not (found and is_repetition(clause)):
            return []
        found |= dict.fromkeys(here)
    checks = _without_the_replacement(list(found), text)
    kinds = [(check.kind, check.part) for check in checks]
    return checks if len(set(kinds)) == len(kinds) else []


def _order(rule: str) -> str:
    """What the rule asks for, without a "No, …" before it and without whom it is for."""
    bare = without_leading_no(with_apostrophes(with_straight_quotes(rule)))
    return with_named_words_quoted(without_scope_clause(bare))


def _without_the_replacement(checks: list[Check], text: str) -> list[Check]:
    """Drop the check for a replacement: in "Always say 'guests', never 'customers'", 'guests' need
    not occur.
    """
    kinds = {check.kind for check in checks}
    if not {CheckKind.CONTAINS, CheckKind.NOT_CONTAINS} <= kinds:
        return checks
    if len(sentences(text)) > 1:
        return []
    return [check for check in checks if check.kind is not CheckKind.CONTAINS]


def _of_clause(clause: str) -> list[Check]:
    """Return what a clause certainly means; nothing if an order in it means something else without
    the negation before it.
    """
    found = _as_it_stands(clause)
    order = order_behind_negation(clause) if found else ""
    alone = _as_it_stands(order) if order else []
    return found if not alone or _sides(alone) == _sides(found) else []


def _sides(checks: list[Check]) -> set[tuple[CheckKind, bool]]:
    return {(check.kind, check.must) for check in checks}


def _as_it_stands(clause: str) -> list[Check]:
    if part_named(clause) is not None:
        check = part_check(clause)
        return [check] if check is not None else []
    here = [check for form in FORMS if (check := form(clause)) is not None]
    if concerns_unchecked_part(clause) and not names_list_as_form(clause):
        return []
    return _most_telling(here) if len({check.kind for check in here}) > 1 else here


def _most_telling(checks: list[Check]) -> list[Check]:
    """Return those readings of one clause that no other reading implies: code only implies no
    preamble, an ending implies that the word occurs.
    """
    kinds = {check.kind for check in checks}
    hidden: set[CheckKind] = set()
    if kinds & {CheckKind.STARTS, CheckKind.ENDS}:
        hidden |= {CheckKind.CONTAINS, CheckKind.NOT_CONTAINS}
    if kinds & {CheckKind.CODE_ONLY, CheckKind.JSON}:
        hidden |= {CheckKind.NO_PREAMBLE}
    if CheckKind.NO_CLOSING_QUESTION in kinds:
        hidden |= {CheckKind.NO_SIGN}
    if CheckKind.NO_PREAMBLE in kinds:
        hidden |= {CheckKind.NOT_CONTAINS}
    return [check for check in checks if check.kind not in hidden]
