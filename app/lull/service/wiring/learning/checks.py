"""Turns rules that users stated in messages into executable checks of answers, and provides the
functions (language detection, JSON schema validation) that such checks need.
"""

from __future__ import annotations

from lull.backends.chat.json_schema import fits_schema
from lull.backends.reader.language_detection import detect
from lull.core.checks import check_answer
from lull.core.checks.check import Check, CheckLibraries
from lull.core.checks.reading import to_json
from lull.core.checks.recognising import checks_for_rule
from lull.core.feedback.feedback import MessageFindings

TOOLS = CheckLibraries(detect=detect, fits_schema=fits_schema)


def proposed_check(kind: str, rule: str, answer: str) -> str:
    """Return the JSON of an executable check for a rule that a user stated; "" if there is none, or
    if the answer that the user complained of passes it.

    `kind` is the kind of the rule.
    """
    check = _check_of(kind, rule)
    offered = check is not None and check_answer.should_propose(check, answer, TOOLS)
    return to_json(check) if check is not None and offered else ""


def derived_check(heard: MessageFindings) -> Check | None:
    """Return an executable check for the rule in a user's message; None if there is none, or if the
    user does not want the rule followed from now on.

    Unlike `proposed_check`, it does not ask whether the answer failed this check.
    """
    return _check_of(heard.check, heard.rule) if heard.lasts else None


def _check_of(kind: str, rule: str) -> Check | None:
    """Return the one check equivalent to a rule; None if the rule has none or needs several."""
    checks = checks_for_rule(kind, rule)
    return checks[0] if len(checks) == 1 else None
