"""Turns rules that users stated in messages into executable checks of answers, and provides the
functions (language detection, JSON schema validation) that such checks need.
"""

from __future__ import annotations

from lull.backends.chat.json_schema import fits_schema
from lull.backends.reader.language_detection import detect
from lull.core.checks import holding
from lull.core.checks.check import Check, Tools
from lull.core.checks.reading import to_json
from lull.core.checks.recognising import meant
from lull.core.feedback.feedback import Heard

TOOLS = Tools(detect=detect, fits_schema=fits_schema)


def proposed_check(kind: str, rule: str, answer: str) -> str:
    """Return an executable check, as JSON, of a rule that a user stated, provided that the answer
    that the user complained of fails this check.

    `kind` is the kind of the rule. "" if there is no such check.
    """
    check = _check_of(kind, rule)
    offered = check is not None and holding.offered(check, answer, TOOLS)
    return to_json(check) if check is not None and offered else ""


def derived_check(heard: Heard) -> Check | None:
    """Return the executable check of a rule that the user wants followed from now on, whether or
    not the answer failed this check.

    None if the rule is not meant to last, or if there is no such check.
    """
    return _check_of(heard.check, heard.rule) if heard.lasts else None


def _check_of(kind: str, rule: str) -> Check | None:
    """Return the one check equivalent to a rule; None if the rule has none or needs several."""
    checks = meant(kind, rule)
    return checks[0] if len(checks) == 1 else None
