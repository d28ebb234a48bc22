"""Merges rules of the toy language (such as "for a menu, end with sugar"): detects when a new one
repeats or contradicts an older one.

"Join with stars" after "join with bars" replaces the older rule: with both in the prompt a model
would have to guess. "Finish with sugar" can stand beside it. Implements the `Merging` port.
"""

from __future__ import annotations

from lull.pocket.language import RULE_FRAMES, Kind, Style, as_sentence
from lull.pocket.parsing import clause_styles, parse_rule


def merged(old: str, new: str) -> str | None:
    """Return the old rule of the toy language with the clauses (such as "end with sugar") that the
    new rule contradicts replaced by the new rule's, and the new rule's other clauses added.

    None if the rules are for different kinds of request, or nothing is contradicted.
    """
    rules = _of_one_kind(old, new)
    if rules is None:
        return None
    kind, kept, said = rules
    changed = False
    for attribute, (clause, style) in said.items():
        if attribute in kept and kept[attribute][1] != style:
            changed = True
        if attribute not in kept or kept[attribute][1] != style:
            kept[attribute] = (clause, style)
    if not changed:
        return None
    clauses = [clause for clause, _ in kept.values()]
    together = " and ".join(part for part in (", ".join(clauses[:-1]), clauses[-1]) if part)
    return as_sentence(RULE_FRAMES[0].format(kind=kind, clauses=together))


def keeps_some(old: str, both: str) -> bool:
    """Return whether `both`, a merged rule of the toy language, still has a clause (such as "end
    with sugar") of the old rule.
    """
    rules = _of_one_kind(old, both)
    return rules is not None and bool(_styles(rules[1]) & _styles(rules[2]))


def says_already(old: str, new: str) -> bool:
    """Return whether the old rule of the toy language already has every clause (such as "end with
    sugar") of the new one.
    """
    rules = _of_one_kind(old, new)
    return rules is not None and _styles(rules[2]) <= _styles(rules[1])


_Clauses = dict[str, tuple[str, Style]]


def _of_one_kind(old: str, new: str) -> tuple[Kind, _Clauses, _Clauses] | None:
    first, second = parse_rule(old), parse_rule(new)
    if first is None or second is None or first[0] is not second[0]:
        return None
    return first[0], _by_attribute(old), _by_attribute(new)


def _by_attribute(rule: str) -> _Clauses:
    return {_attribute(style): (clause, style) for clause, style in clause_styles(rule)}


def _attribute(style: Style) -> str:
    named = (("start", style.start), ("end", style.end), ("joiner", style.joiner))
    return next((name for name, value in named if value), "reverse")


def _styles(clauses: _Clauses) -> set[Style]:
    return {style for _, style in clauses.values()}
