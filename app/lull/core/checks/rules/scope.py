"""Finds and removes the words of a user's rule that limit it to certain requests ("When I ask for a
recipe, …").
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.checks import language
from lull.core.checks.rules.amounts import BARE
from lull.core.checks.rules.phrases import without_even_if

_LEAD: Final = re.compile(
    r"^(?:please )?(?:(?:when(?:ever)?|if|any ?time|every time|each time|wenn|falls|sobald|"
    r"quand|lorsque|si|"
    r"cuando|siempre que)\s+(?P<said>[^,:]{3,80}?)[,:]\s*(?:then |dann )?|"
    r"(?:for|in|with|on|bei|für|in|pour|dans|para|en)\s+(?P<kind>[^,:]{3,60}?)[,:]\s*)",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r",?\s+(?P<said>(?:when(?:ever)?|every time|any ?time|if|wenn|quand|cuando)\s+(?:i|you|we|"
    r"ich|du|je|tu|yo|it's|"
    r"it is|there)\b[^,.;]*)[.!]?$",
    re.IGNORECASE,
)

_FOR: Final = re.compile(
    r"\s(?:for|für|pour|para)\s+(?P<said>(?:my|our|the|any|all|anything|everything|meine?|mes|mis|"
    r"alles|tout)\b[^,.;]*)[.!]?$",
    re.IGNORECASE,
)
"""Matches "… for the warehouse board", which stays part of the rule."""


def scope_clause(rule: str) -> str:
    """Return the clause of a user's rule that says which requests the rule is for, such as "When I
    ask for a recipe, …"; "" if there is none.
    """
    found = _lead(rule)
    if found is not None:
        return found["said"] or found["kind"] or ""
    rule = without_even_if(rule)
    behind = _BEHIND.search(rule) or _FOR.search(rule)
    return behind["said"] if behind else ""


def _lead(rule: str) -> re.Match[str] | None:
    """Match a leading condition; there is none in "For recipes I want grams, not cups", whose comma
    belongs to the order.
    """
    found = _LEAD.match(rule)
    if found is None or not found["kind"]:
        return found
    kind = found["kind"]
    if _ORDER.search(kind) or language.named_languages(kind) or BARE.search(kind.lower()):
        return None  # "In Spanish, please", "In two sentences, please": this is the order itself
    return found


_ORDER: Final = re.compile(
    r"\b(?:i|we|you|want|use|write|give|please|always|never|no|keep|make|ich|immer|je|toujours)\b",
    re.IGNORECASE,
)


def without_scope_clause(rule: str) -> str:
    """Return a rule without the words that say for which requests it holds, such as "in emails"."""
    found = _lead(rule)
    if found is not None:
        return rule[found.end() :]
    rule = without_even_if(rule)
    behind = _BEHIND.search(rule)
    return rule[: behind.start()] if behind else rule
