"""Which check a rule in plain words means.

`derive` is told the class of check by the reader's head and takes only its parameters from the
text: numbers, quoted words, names of signs, units and languages. `recognised` is for when no head
has spoken: it knows a few exact forms, and would rather know nothing than be wrong. What makes a
rule conditional, vague, twofold or about a part of an answer ends in None.
"""

from __future__ import annotations

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.rules.forms import FORMS
from lull.core.checks.rules.parameters import parameters
from lull.core.checks.rules.phrases import clauses, conditional, orders, straight
from lull.core.checks.rules.scope import without_lead


def derive(kind_class: str, rule: str, asked: str, answer: str) -> Check | None:
    """The check that a rule of this class means; None where the text does not say what the class
    needs. `asked` and `answer` are the exchange it was said after."""
    try:
        kind = CheckKind(kind_class)
    except ValueError:
        return None
    return parameters(kind, rule)


def recognised(rule: str) -> Check | None:
    """The one check that a rule surely means as a whole."""
    found = recognised_parts(rule)
    return found[0] if len(found) == 1 else None


def recognised_parts(rule: str) -> list[Check]:
    """All checks that a rule surely means together; none where a part of it is not understood."""
    text = without_lead(straight(rule))
    if conditional(text):
        return []
    found: dict[Check, None] = {}
    for clause in clauses(text):
        here = [check for form in FORMS if (check := form(clause)) is not None]
        if len({check.kind for check in here}) > 1:
            here = _most_telling(here)
        if not here and orders(clause):
            return []
        found |= dict.fromkeys(here)
    checks = list(found)
    kinds = [check.kind for check in checks]
    return checks if len(set(kinds)) == len(kinds) else []


def _most_telling(checks: list[Check]) -> list[Check]:
    """Of several readings of one clause those that are not implied by another: code only says
    more than no preamble, an ending more than a word that must be there."""
    kinds = {check.kind for check in checks}
    hidden: set[CheckKind] = set()
    if kinds & {CheckKind.STARTS, CheckKind.ENDS}:
        hidden |= {CheckKind.CONTAINS, CheckKind.NOT_CONTAINS}
    if CheckKind.CODE_ONLY in kinds:
        hidden |= {CheckKind.NO_PREAMBLE}
    if CheckKind.NO_CLOSING_QUESTION in kinds:
        hidden |= {CheckKind.NO_SIGN}
    return [check for check in checks if check.kind not in hidden]
