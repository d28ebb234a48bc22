"""Turns a rule that a user stated in a message into the check (a program that tests answers) that
is equivalent to it, if there is exactly one.
"""

from __future__ import annotations

from lull.core.checks.check import NO_LIBRARIES, Check, CheckLibraries
from lull.core.checks.check_answer import should_propose
from lull.core.checks.reading import to_json
from lull.core.checks.recognising import checks_for_rule


def stated_check(kind: str, rule: str) -> Check | None:
    """Return the one check (a program that tests answers) that is equivalent to a rule in plain
    language; None if there is none or the rule needs several.

    `kind` is the class of check that a classifier predicts for the rule.
    """
    checks = checks_for_rule(kind, rule)
    return checks[0] if len(checks) == 1 else None


def proposed_check(
    kind: str, rule: str, answer: str, *, tools: CheckLibraries = NO_LIBRARIES
) -> str:
    """Return the JSON of the check (a program that tests answers) to propose to a user together
    with the rule that they stated; "" if the rule has none, or if the answer that the user
    complained of passes it.

    `kind` is the class of check that a classifier predicts for the rule.
    """
    check = stated_check(kind, rule)
    offered = check is not None and should_propose(check, answer, tools)
    return to_json(check) if check is not None and offered else ""
