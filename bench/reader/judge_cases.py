"""Whether an answer keeps a rule, by what Lull has without any chat model: its checks.

A rule is taken at its word by the exact recogniser, else its class is asked of the reader's head.
Nothing is said where no check is recognised, where the check does not apply to the answer, or where
the rule speaks of requests of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lull.backends.json_schema import fits_schema
from lull.backends.language_detection import detect
from lull.core.checks.check import Check, CheckKind, Tools
from lull.core.checks.holding import holds
from lull.core.checks.recognising import derive, recognised_parts
from lull.core.checks.rules.phrases import conditional, straight
from lull.core.checks.rules.scope import applies, without_lead

ClassOf = Callable[[str], str]
"""A rule → the class of check that the reader's head names, "" for none."""
TOOLS: Final = Tools(detect=detect, fits_schema=fits_schema)
_ASKED_FOR_ITSELF: Final = {
    CheckKind.LANGUAGE: r"translat|übersetz|tradu|how do you say|(?:in|into|auf|en) (?:english|"
    r"german|french|spanish|italian|deutsch|englisch|français|español|inglés)",
    CheckKind.NO_APOLOGY: r"apolog|sorry|entschuld|excus|disculp|perdón",
    CheckKind.NO_EMOJI: r"emoji|smiley",
    CheckKind.WORDS: r"\b\d+[- ]words?\b",
    CheckKind.NO_CLOSING_QUESTION: r"\bquiz|questions? (?:for|to|about)|interview questions",
}
"""By kind: a request that wants what the rule is about, which then may not be meant."""


def judge(
    rule: str, request: str, answer: str, *, class_of: ClassOf | None = None, tools: Tools = TOOLS
) -> dict[str, float | str | None]:
    """`{"kept": 1.0, 0.0 or None, "by": "check" or None}`."""
    kept = _kept(rule, request, answer, class_of, tools)
    return {"kept": None if kept is None else float(kept), "by": None if kept is None else "check"}


def _kept(
    rule: str, request: str, answer: str, class_of: ClassOf | None, tools: Tools
) -> bool | None:
    if not applies(rule, request):
        return None
    named = class_of(rule) if class_of is not None else ""
    checks = recognised_parts(rule)
    if checks and named not in ("", "none", *(check.kind.value for check in checks)):
        return None  # two readings of the rule, and nobody to decide
    checks = checks or _by_class(named, rule, request, answer)
    if not checks or any(_asked_for_itself(check, request) for check in checks):
        return None
    verdicts = [holds(check, answer, tools) for check in checks]
    if False in verdicts:
        return False
    return True if None not in verdicts else None


def _by_class(named: str, rule: str, request: str, answer: str) -> list[Check]:
    if conditional(without_lead(straight(rule))):
        return []
    check = derive(named, rule, request, answer)
    return [check] if check is not None else []


def _asked_for_itself(check: Check, request: str) -> bool:
    pattern = _ASKED_FOR_ITSELF.get(check.kind)
    return pattern is not None and re.search(pattern, request, re.IGNORECASE) is not None
