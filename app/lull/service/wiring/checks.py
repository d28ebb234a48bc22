"""From what a reader heard to a check, where one decides it; and the libraries that checks need."""

from __future__ import annotations

from lull.backends.json_schema import fits_schema
from lull.backends.language_detection import detect
from lull.core.checks import holding
from lull.core.checks.check import Check, Tools
from lull.core.checks.reading import to_json
from lull.core.checks.recognising import meant
from lull.core.feedback.feedback import Heard

TOOLS = Tools(detect=detect, fits_schema=fits_schema)


def proposed_check(kind: str, rule: str, asked: str, answer: str) -> str:
    """JSON text of the check that this rule comes to, if the failed answer fails it."""
    check = _check_of(kind, rule)
    offered = check is not None and holding.offered(check, answer, TOOLS)
    return to_json(check) if check is not None and offered else ""


def derived_check(heard: Heard, asked: str) -> Check | None:
    """The check of a lasting wish, whatever the answer was."""
    return _check_of(heard.check, heard.rule) if heard.lasts else None


def _check_of(kind: str, rule: str) -> Check | None:
    """What the reader's head and the exact forms come to together; a rule of two checks has none
    that stands for the whole of it."""
    checks = meant(kind, rule)
    return checks[0] if len(checks) == 1 else None
