"""Turns a rule that a user stated in a message into the checks (programs that test answers) that
are equivalent to it, or to a part of it; finds the words of a rule by which it can be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lull.core.checks.check import NO_LIBRARIES, Check, CheckLibraries, CheckSet
from lull.core.checks.check_answer import should_propose
from lull.core.checks.reading import all_to_json
from lull.core.checks.rules import scope
from lull.core.checks.rules.recognising import checks_for_rule, exact_checks
from lull.core.checks.rules.weighed import checks_behind


def stated_checks(kind: str, rule: str) -> CheckSet | None:
    """Return the checks (programs that test answers) that a rule in plain language means, or a part
    of it does; None if there are none.

    `kind` is the class of check that a classifier predicts for the rule.
    """
    return checks_for_rule(kind, rule)


def proposed_check(
    kind: str,
    rule: str,
    answer: str,
    complaint: str = "",
    possible: Sequence[str] = (),
    *,
    tools: CheckLibraries = NO_LIBRARIES,
) -> str:
    """Return the JSON of the checks (programs that test answers) to propose to a user together
    with the rule that they stated; "" if the rule has none, or if the answer that the user
    complained of passes them.

    `kind` is the class of check that a classifier predicts for the rule, and `possible` are those
    that it does not rule out, likeliest first. `complaint` is the whole message in which the user
    stated the rule, if the reader takes it for one that complains of the answer.
    """
    checks = checks_behind(kind, rule, answer, complaint, possible, tools=tools)
    if checks is None or not should_propose(checks, answer, tools):
        return ""
    return all_to_json(checks)


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
