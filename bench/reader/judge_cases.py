"""Judges whether an answer keeps a rule with Lull's checks alone, without a chat model.

Which requests a rule speaks of is told here, by `speaking_of`: in Lull a rule comes with the
request that it was said after.

A rule is taken at its word by the exact recogniser, else its class is asked of the reader's head.
Nothing is said where no check is recognised, where the check does not apply to the answer, or where
the rule speaks of requests of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bench.reader.speaking_of import KindsOf, speaks_of
from lull.backends.chat.json_schema import fits_schema
from lull.backends.reader.language_detection import detect
from lull.backends.reader.request_kinds import RequestKinds
from lull.core.checks.check import Check, CheckKind, CheckLibraries, CheckSet
from lull.core.checks.check_answer import keeps_rule
from lull.core.checks.rules.recognising import checks_for_rule

ClassOf = Callable[[str], str]
"""Function from a rule's text to the class of check that the reader predicts, "" for none."""
TOOLS: Final = CheckLibraries(detect=detect, fits_schema=fits_schema)
_ASKED_FOR_ITSELF: Final = {
    CheckKind.LANGUAGE: r"translat|übersetz|tradu|how do you say|(?:in|into|auf|en) (?:english|"
    r"german|french|spanish|italian|deutsch|englisch|français|español|inglés)",
    CheckKind.NO_APOLOGY: r"apolog|sorry|entschuld|excus|disculp|perdón",
    CheckKind.NO_EMOJI: r"emoji|smiley",
    CheckKind.WORDS: r"\b\d+[- ]words?\b",
    CheckKind.NO_CLOSING_QUESTION: r"\bquiz|questions? (?:for|to|about)|interview questions",
}
"""By kind of check: matches requests for the very thing a rule is about (such as a translation),
for which the rule may not be meant.
"""


def reads_kinds(kinds: RequestKinds) -> KindsOf:
    """Return a function that gives a request's kinds with their probabilities, from the kinds
    classifier; empty for unknown words.
    """

    def kinds_of(request: str) -> dict[str, float]:
        found = kinds.read(request).kinds
        return dict(zip(kinds.names, map(float, found), strict=True)) if found.any() else {}

    return kinds_of


def judge(
    rule: str,
    request: str,
    answer: str,
    *,
    class_of: ClassOf | None = None,
    tools: CheckLibraries = TOOLS,
    kinds_of: KindsOf | None = None,
) -> dict[str, float | str | None]:
    """Judge an answer: `{"kept": 1.0, 0.0 or None, "by": "check" or None}`."""
    about = speaks_of(rule, request, answer, kinds_of)
    kept = None
    if about is False:
        kept = True  # it speaks of other requests
    elif about is True:
        kept = _kept(
            checks_for_rule(class_of(rule) if class_of else "", rule), request, answer, tools
        )
    return {"kept": None if kept is None else float(kept), "by": None if kept is None else "check"}


def _kept(rule: CheckSet | None, request: str, answer: str, tools: CheckLibraries) -> bool | None:
    kept = keeps_rule(rule, answer, tools) if rule is not None else None
    if rule is not None and kept is False:
        # Who asks for an apology gets one, and no rule is broken.
        return None if any(_asked_for_itself(check, request) for check in rule.checks) else False
    return kept


def _asked_for_itself(check: Check, request: str) -> bool:
    pattern = _ASKED_FOR_ITSELF.get(check.kind)
    return pattern is not None and re.search(pattern, request, re.IGNORECASE) is not None
