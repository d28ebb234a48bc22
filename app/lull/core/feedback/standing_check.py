"""Turns a rule for later answers that a user's message states into a check, a program that tests
those answers.
"""

from __future__ import annotations

from lull.core.checks.check import Check
from lull.core.checks.rules.stated_check import stated_check
from lull.core.feedback.feedback import MessageFindings


def standing_check(findings: MessageFindings) -> Check | None:
    """Return the check (a program that tests answers) for the rule in a user's message; None if
    there is none, or if the user does not want the rule followed from now on.

    It does not matter whether the answer that the message is about fails the check.
    """
    return stated_check(findings.check, findings.rule) if findings.lasts else None
