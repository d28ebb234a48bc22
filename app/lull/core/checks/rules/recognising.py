"""Turns a user's rule in plain language ("at most 100 words") into a check, a program that tests
answers.

`derive` gets the class of check from a classifier (part of the small model that reads what users
write) and takes only the parameters from the rule's text: numbers, quoted words, names of signs,
units and languages. `exact_check` works without the classifier: it knows a few exact wordings and
rather returns no check than a wrong one. `checks_for_rule` combines both. A rule gives no check if
it is conditional, vague, has two meanings, or is about a part of an answer that is not understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.rules import amounts
from lull.core.checks.rules.contradictions import cannot_both_hold
from lull.core.checks.rules.forms import FORMS
from lull.core.checks.rules.parameters import parameters
from lull.core.checks.rules.part_forms import (
    concerns_unchecked_part,
    names_list_as_form,
    part_check,
    part_named,
)
from lull.core.checks.rules.phrases import (
    CONJUNCTION,
    JOINTS,
    LENGTH_NOUNS,
    begins_as_negation,
    begins_as_order,
    behind_negation,
    clauses,
    conditional,
    has_negation,
    is_demand,
    is_double_negation,
    is_echo,
    is_repetition,
    mask_quoted,
    order_behind_negation,
    quoted,
    with_apostrophes,
    with_straight_quotes,
    without_even_if,
    without_leading_no,
    without_reason,
)
from lull.core.checks.rules.scope import without_scope_clause
from lull.core.checks.rules.wanting import with_named_words_quoted
from lull.core.checks.text import sentences

MOST_JOINTS: Final = 8
"""Most commas and conjunctions of a clause that is cut at them."""
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


def checks_for_rule(kind_class: str, rule: str) -> CheckSet | None:
    """Return the checks (exact tests of an answer) that a rule in plain language means. They follow
    from `kind_class`, the class that a classifier predicts for the rule, and from exact wordings;
    None if these two contradict each other and neither is certain.
    """
    exact = exact_set(rule)
    if exact is None:
        one = derive(kind_class, rule, "", "")
        return CheckSet(checks=(one,)) if one is not None else None
    agree = _agree(kind_class, exact.checks) or _forbids_in_vain(kind_class, rule, exact.checks)
    return exact if agree else None


def _agree(kind_class: str, exact: Sequence[Check]) -> bool:
    kinds = {check.kind for check in exact}
    if kind_class in ("", "none") or kind_class in {kind.value for kind in kinds}:
        return True
    if any(check.part for check in exact):
        return True  # the head has no class for a part of an answer
    return any(
        kinds & family and kind_class in {kind.value for kind in family} for family in _FAMILIES
    )


def _forbids_in_vain(kind_class: str, rule: str, exact: Sequence[Check]) -> bool:
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
    found = exact_set(rule)
    return list(found.checks) if found is not None and found.whole else []


def exact_set(rule: str) -> CheckSet | None:
    """Return the checks (exact tests of an answer) that a rule in plain language means by its exact
    wording, without a classifier, and whether they test the whole rule; None if it means none, or
    if one of its parts may turn the meaning of another round.
    """
    text = _order(rule)
    if conditional(text):
        return None
    found: dict[Check, None] = {}
    whole, before = True, ""
    for clause in clauses(text):
        here = _of_joined(without_reason(clause))
        joined, before = f"{before} and {clause}", clause
        if here.checks and joined in text and _action_denied(found, here.checks):
            whole = False
        elif here.checks:
            whole = whole and here.whole
            found |= dict.fromkeys(here.checks)
        elif is_demand(clause) and not (found and is_repetition(clause)):
            if not begins_as_order(clause) or (has_negation(clause) and not found):
                return None  # it may give a reason, or deny what follows, too
            whole = False
    checks = _without_the_replacement(list(found), text)
    if not checks or _clash(checks):
        return None
    if len(checks) < len(found) and CONJUNCTION.search(mask_quoted(text)):
        whole = False  # in "greet me with 'Moin' and never say 'Hi'", 'Moin' is no replacement
    return CheckSet(checks=tuple(checks), whole=whole)


def _clash(checks: Sequence[Check]) -> bool:
    """Whether two of the checks constrain the same property of an answer, or exclude each other."""
    matters = [(check.fixed_property, check.part) for check in checks if check.fixed_property]
    return len(set(matters)) < len(matters) or any(
        cannot_both_hold(one, other) for one in checks for other in checks
    )


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


@lru_cache(maxsize=512)
def _of_joined(clause: str) -> CheckSet:
    """Return what a clause means that may join several orders, as in "two sentences and no emoji":
    the clause as one, or the checks of its parts if each part is understood by itself and together
    they are more. The checks are not the whole if a joined part is an order that is not understood.
    """
    one = tuple(dict.fromkeys(_of_clause(clause)))
    joints = list(JOINTS.finditer(mask_quoted(clause)))
    whole = True
    for joint in joints if len(joints) <= MOST_JOINTS else ():
        left, right = clause[: joint.start()], clause[joint.end() :]
        first, rest = _of_clause(left), _of_joined(right)
        conjunction = CONJUNCTION.fullmatch(joint[0]) is not None
        if first and rest.checks and not _may_be_denied(left, first, right, rest.checks):
            several = tuple(dict.fromkeys((*first, *rest.checks)))
            turned = any(replace(check, must=not check.must) in one for check in rest.checks)
            if len(several) > len(one) or turned:
                return CheckSet(checks=several, whole=rest.whole)
        elif conjunction and set(rest.checks) - set(one):
            if has_negation(left) and not first:
                return CheckSet(checks=())  # "don't do that and stay under 3 lines"
            whole = whole and {check.kind for check in rest.checks} <= {check.kind for check in one}
        elif conjunction:
            whole = whole and not _asks_for_more(left, right, one)
        elif not (rest.checks or has_negation(left) or is_repetition(right) or _about_words(one)):
            whole = whole and not begins_as_order(right)  # "speak German, be brief"
    return CheckSet(checks=one, whole=whole and not _quotes_more(clause, one))


def _action_denied(found: Iterable[Check], checks: Sequence[Check]) -> bool:
    """Whether a negation before "and" may be about both actions, as in "never start with 'Hi' and
    end with 'Bye'"; one of a thing, such as "no emojis", is about that thing alone.
    """
    return any(not check.must for check in found) and any(
        check.must and check.kind in _PLACED for check in checks
    )


_PLACED: Final = frozenset((CheckKind.STARTS, CheckKind.ENDS))
"""Kinds of check whose rule names an action: start with, end with."""


def _may_be_denied(left: str, first: Sequence[Check], right: str, checks: Sequence[Check]) -> bool:
    """Whether a negation in the left part may be about the right one, too: in "no emojis and
    bullets" it may, in "no emojis and at most two sentences" and "no emojis and use bullets" not.
    """
    if not has_negation(left) or has_negation(right):
        return False
    if _action_denied(first, checks):
        return True
    counted = all(check.at_least is not None or check.at_most is not None for check in checks)
    placed = all(check.kind in _PLACED for check in checks)
    return not (counted or placed or is_demand(right))


def _asks_for_more(left: str, right: str, checks: Sequence[Check]) -> bool:
    """Whether one of two joined parts may ask for something that is not understood: it begins as an
    order or names an amount, or it stands behind a part that means all the checks by itself.
    """
    if not _of_clause(right) and not {check.kind for check in checks} <= _NOTHING_ELSE:
        if begins_as_negation(right):
            return not _is_contrast(right, checks)
        said_twice = is_echo(right) or is_repetition(right) or len(right.split()) < _FEWEST_WORDS
        if checks and set(_of_clause(left)) == set(checks) and not said_twice:
            return True
    if any(_names_amount(part) and not _of_clause(part) for part in (left, right)):
        return True
    # "List the pros and cons as bullets" joins things, and not two orders.
    two = begins_as_order(right) or begins_as_negation(right) or _names_amount(right)
    return two and any(begins_as_order(part) and not _of_clause(part) for part in (left, right))


def _is_contrast(right: str, checks: Sequence[Check]) -> bool:
    """Whether a negated part only names what the checks are chosen over, as in "use grams and not
    cups": without the negation it would mean another value of the same property.
    """
    other = _of_clause(behind_negation(right))
    return bool(other) and {one.kind for one in other} <= {one.kind for one in checks}


_FEWEST_WORDS: Final = 3
"""Fewest words of a joined part that may be an order of its own."""
_NOTHING_ELSE: Final = _PLACED | {CheckKind.CODE_ONLY, CheckKind.JSON, CheckKind.JSON_SCHEMA}
"""Kinds of check that allow nothing beside, before or behind what they ask for."""


def _names_amount(text: str) -> bool:
    return any(amounts.mentions_amount(text, noun) for noun in LENGTH_NOUNS.values())


def _about_words(checks: Sequence[Check]) -> bool:
    return any(check.kind in (CheckKind.CONTAINS, CheckKind.NOT_CONTAINS) for check in checks)


def _quotes_more(clause: str, checks: Sequence[Check]) -> bool:
    """Whether a clause quotes a text that none of its checks looks for."""
    if _about_words(checks):
        return False  # a replacement is quoted beside what it replaces
    values = " ".join(check.value for check in checks)
    return any(one.strip(" .,;!") not in values for one in quoted(clause))


def _of_clause(clause: str) -> list[Check]:
    """Return what a clause certainly means; nothing if an order in it means something else without
    the negation before it.
    """
    found = _as_it_stands(clause)
    placed = {check.value for check in found if check.kind in (CheckKind.STARTS, CheckKind.ENDS)}
    if placed and len(placed) < sum(check.value in placed for check in found):
        return []  # one text that two verbs could place: "open with the date, end with 'Bye'"
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
