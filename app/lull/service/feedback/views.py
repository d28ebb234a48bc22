"""Builds the JSON of the feedback found in users' messages, which the control API and `lull read
--json` return.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.contract.json_object import Json
from lull.core.feedback.feedback import Feedback

PAGE = 50


def feedback_view(feedback: Feedback) -> Json:
    """Return the JSON that the control API shows of the feedback found in a user's message."""
    findings = feedback.findings
    return {
        "turn": feedback.turn,
        "before": feedback.before,
        "correction": findings.correction,
        "lasting": findings.lasting,
        "thanks": findings.thanks,
        "scope": findings.scope.value if findings.scope else None,
        "scope_p": findings.scope_p,
        "quote": list(findings.quote),
        "kind_of_rule": findings.kind_of_rule.value if findings.kind_of_rule else None,
        "check": findings.check or None,
        "unsure": findings.unsure,
        "read_by": feedback.read_by,
        "read_at": feedback.read_at.isoformat(),
    }


def listed_view(feedbacks: Sequence[Feedback], *, waiting: int, following: bool = False) -> Json:
    """Return the JSON of a page of the feedback found in users' messages, newest first.

    `waiting` is the number of messages not read yet. With `following` there are older entries; the
    result's `next` is then the turn after which the next page begins, else null.
    """
    return {
        "feedback": [feedback_view(one) for one in feedbacks],
        "waiting": waiting,
        "next": feedbacks[-1].turn if following and feedbacks else None,
    }


def reread_view(read: Sequence[tuple[Feedback | None, Feedback]], *, waiting: int) -> Json:
    """Return the JSON of feedback from messages that were just read, with what an earlier reading
    had found as `was` (null if a message was read for the first time).

    `waiting` is the number of messages not read yet.
    """
    return {
        "feedback": [
            {**feedback_view(now), "was": feedback_view(before) if before else None}
            for before, now in read
        ],
        "waiting": waiting,
        "next": None,
    }
