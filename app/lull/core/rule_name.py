"""The name of a skill made of a user's words: the situation first, then what is to be done."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from lull.core.own_words import plain

NAME_CHARACTERS = 64
"""As the Agent Skills format allows."""
SUBJECT_WORDS = 4

_SILENT_WORDS = (
    "a an the please use using put your my it its and or be is are when you i write me"
    " make them this that to do bitte den die das der el la los las le les un une una"
)
_SILENT = frozenset(_SILENT_WORDS.split())
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
)
_DENIALS = ("do not use", "do not", "never use", "dont", "stop using")


def skill_name(subject: Sequence[str], rule: str) -> str:
    """`commit-message-imperative-mood` of ("commit", "message") and "use the imperative mood":
    1 to 64 of a-z, 0-9 and single hyphens."""
    said = plain(rule.translate(_UMLAUTS))
    for denial in _DENIALS:
        if said.startswith(f"{denial} "):
            said = f"no {said[len(denial) + 1 :]}"
    words = re.findall(r"[^\W_]+", said)
    acts = [word for word in words if word not in _SILENT] or words
    named = [word for word in subject[:SUBJECT_WORDS] if word not in acts[:1]]
    return _slug([*named, *acts]) or "rule"


def _slug(words: list[str]) -> str:
    name = ""
    for word in words:
        decomposed = unicodedata.normalize("NFKD", word.translate(_UMLAUTS))
        part = re.sub(r"[^a-z0-9]", "", decomposed.lower())
        if part and len(name) + 1 + len(part) <= NAME_CHARACTERS:
            name = f"{name}-{part}" if name else part
        elif part and not name:
            name = part[:NAME_CHARACTERS]
    return name
