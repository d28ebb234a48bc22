"""Turns a rule for later answers that a user's message states into checks, programs that test those
answers.
"""

from __future__ import annotations

from lull.core.checks.check import CheckSet
from lull.core.checks.rules.stated_check import stated_checks
from lull.core.feedback.feedback import MessageFindings


def standing_check(findings: MessageFindings) -> CheckSet | None:
    """Return the checks (programs that test answers) for the rule in a user's message; None if
    there is none, or if the user does not want the rule followed from now on.

    It does not matter whether the answer that the message is about fails them.
    """
    return stated_checks(findings.check, findings.rule) if findings.lasts else None
