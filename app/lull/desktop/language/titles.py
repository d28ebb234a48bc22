"""Writes the names of skills, which have no capitals and no spaces, as a person reads them.

A skill that holds the user's own words is called by these once its text was read: by a whole clause
of them, with their capitals, accents and quotation marks, which a name cannot have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lull.contract.json_object import Json
from lull.core.skills.stated_skill import is_named_for, title_of, words_of
from lull.core.text.code_within import CodeKind, code_begin

_PRONOUN: Final = re.compile(r"(?<![^ ])i(?= |$)(?! [^ ](?: |$))")
"""Matches a word "i" that no other single letter follows, as one does in "i e"."""
_LISTS: Final = ("skills", "proposals", "snoozed", "turned_down")
"""Where the service sends skills and suggestions with their texts."""


def title_of_name(name: str) -> str:
    """Return a skill's name as a title, such as "Menu style" for "menu-style".

    A word "i" gets its capital back: none of the languages that Lull reads has such a word but
    English.
    """
    words = _PRONOUN.sub("I", name.replace("-", " "))
    return words[:1].upper() + words[1:]


class SkillTitles:
    """The titles of all skills and suggestions whose texts the window has read."""

    def __init__(self) -> None:
        self._bodies: dict[str, str] = {}
        """What each skill says, by its name."""
        self._titles: dict[str, str] = {}
        """Titles that were made of these texts: "" for a skill that is called by its name, the kind
        of code where its words are code alone.
        """

    def learn(self, value: Json) -> None:
        """Take the texts of the skills and suggestions that are in what the service sent."""
        lists = (value.get(part) for part in _LISTS)
        for skill in (one for found in lists if isinstance(found, list) for one in found):
            name, body = str(skill.get("name") or ""), str(skill.get("body") or "")
            if body and self._bodies.get(name) != body:
                self._bodies[name] = body
                self._titles.pop(name, None)

    def title(self, name: str, tr: Callable[[str], str]) -> str:
        """Return the title of the skill with this name; `tr` translates a text of the window."""
        if name not in self._titles:
            self._titles[name] = self._made(name)
        found = self._titles[name]
        if isinstance(found, CodeKind):
            json, code = tr("An answer in JSON …"), tr("An answer in code …")
            return json if found is CodeKind.JSON else code
        return found or title_of_name(name)

    def _made(self, name: str) -> str:
        body = self._bodies.get(name, "")
        words = words_of(body)
        if words == body or not is_named_for(name, words):
            return ""
        code = code_begin(words)
        return title_of(words) or ("" if code is None else code.kind)


known_titles: Final = SkillTitles()
"""The titles of the skills that this window knows."""
