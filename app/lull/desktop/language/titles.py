"""Writes the names of skills, which have no capitals and no spaces, as a person reads them."""

from __future__ import annotations

import re
from typing import Final

_PRONOUN: Final = re.compile(r"(?<![^ ])i(?= |$)(?! [^ ](?: |$))")
"""Matches a word "i" that no other single letter follows, as one does in "i e"."""


def title_of_name(name: str) -> str:
    """Return a skill's name as a title, such as "Menu style" for "menu-style".

    A word "i" gets its capital back: none of the languages that Lull reads has such a word but
    English.
    """
    words = _PRONOUN.sub("I", name.replace("-", " "))
    return words[:1].upper() + words[1:]
