"""Builds the JSON of what a skill's file says, for people: when it applies, what it asks for and
its check, without the file's own form.
"""

from __future__ import annotations

from lull.contract.json_object import Json
from lull.core.checks.reading import parse_all
from lull.core.checks.wording import all_in_words
from lull.core.errors import SkillError
from lull.core.proof.proposal import CHECK
from lull.core.skills.skill import scope_of
from lull.store.skills.skill_md import parse as parse_skill


def text_view(data: bytes) -> Json | None:
    """Return the JSON of what a SKILL.md file says; None if there is none, or none that can be
    read.
    """
    try:
        text = parse_skill(data, where="SKILL.md") if data else None
    except SkillError:
        return None
    if text is None:
        return None
    return {
        "description": text.description,
        "body": text.body,
        "scope": scope_of(text).value,
        "check": check_words(text.metadata.get(CHECK, "")),
    }


def check_words(check: str) -> str | None:
    """Describe in words a skill's checks (automatic tests of answers); None if it has none."""
    if not check:
        return None
    try:
        return all_in_words(parse_all(check))
    except SkillError as error:
        return f"{error.detail} It is never used."
