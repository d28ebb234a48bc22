"""Turns a rule that a user stated in a message into the check (a program that tests answers) that
is equivalent to it, if there is exactly one; finds the words of a rule by which it can be named.
"""

from __future__ import annotations

from typing import Final

from lull.core.checks.check import NO_LIBRARIES, Check, CheckLibraries
from lull.core.checks.check_answer import should_propose
from lull.core.checks.reading import to_json
from lull.core.checks.rules import scope
from lull.core.checks.rules.disputed import disputed_check
from lull.core.checks.rules.recognising import checks_for_rule, exact_checks


def stated_check(kind: str, rule: str) -> Check | None:
    """Return the one check (a program that tests answers) that is equivalent to a rule in plain
    language; None if there is none or the rule needs several.

    `kind` is the class of check that a classifier predicts for the rule.
    """
    checks = checks_for_rule(kind, rule)
    return checks[0] if len(checks) == 1 else None


def proposed_check(
    kind: str,
    rule: str,
    answer: str,
    complaint: str = "",
    *,
    tools: CheckLibraries = NO_LIBRARIES,
) -> str:
    """Return the JSON of the check (a program that tests answers) to propose to a user together
    with the rule that they stated; "" if the rule has none, or if the answer that the user
    complained of passes it.

    `kind` is the class of check that a classifier predicts for the rule, `complaint` the whole
    message in which the user stated it, if the reader takes it for one that complains of the
    answer.
    """
    check = stated_check(kind, rule)
    if check is None and not exact_checks(rule):  # else its words need several, or speak against it
        check = disputed_check(kind, rule, answer, complaint=complaint, tools=tools)
    offered = check is not None and should_propose(check, answer, tools)
    return to_json(check) if check is not None and offered else ""


MOST_WORDS: Final = 25
MOST_CHARACTERS: Final = 300
"""Longest rule of which `wording_of_checks` tries parts: it reads each part anew."""
MOST_NAMED: Final = 12
"""Most words that `wording_of_checks` returns; more would be no name."""


def wording_of_checks(rule: str) -> str:
    """Return the words of a rule that alone already mean the same checks (exact tests of an answer)
    as the whole rule: "at most two sentences" of "From now on keep every answer to at most two
    sentences, please."; "" if it means none, or if the rule or these words are long.

    The words follow on each other in the rule, are at least two if the rule has as many, and mean
    the same checks without the rest.
    """
    words = rule.split()
    short = len(words) <= MOST_WORDS and len(rule) <= MOST_CHARACTERS
    checks = exact_checks(rule) if short else []
    if not checks:
        return ""
    # At the end only whole clauses are dropped: "no bullet" alone forbids bullet points, too.
    ends = [n for n, word in enumerate(words, 1) if word[-1] in _CLAUSE_MARKS or n == len(words)]
    end = next(n for n in ends if n > 1 or n == len(words) if _mean(words[:n], checks))
    starts = range(max(end - 2, 0), max(end - MOST_NAMED, 0) - 1, -1)
    start = next((n for n in starts if _mean(words[n:end], checks)), end)
    return " ".join(words[start:end])


_CLAUSE_MARKS: Final = ",;:.!?–—-"


def _mean(words: list[str], checks: list[Check]) -> bool:
    return exact_checks(" ".join(words)) == checks


def without_scope(rule: str) -> str:
    """Return a user's rule without the clause that limits it to certain requests ("When I ask for a
    recipe, …").
    """
    return scope.without_scope_clause(rule)
