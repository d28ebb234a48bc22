"""The kinds of findings that screening may have about a candidate."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class FlagKind(StrEnum):
    FORMAT = "format"
    SECRET = "secret"
    HIDDEN = "hidden-characters"
    LOOKALIKE = "look-alike-letters"
    ENCODED = "encoded"
    MARKUP = "markup"
    LINK = "link"
    CONTACT = "contact"
    COMMAND = "command"
    PERMISSION = "permission"
    UNTRUSTED = "untrusted-source"
    INFLUENCE = "under-influence"
    MODEL_WORDS = "model-words"
    PERHAPS_QUOTED = "perhaps-quoted"
    """The user's message has a layout in which somebody else's words may stand."""
    STRANGERS_NEAR = "strangers-near"
    """Somebody else's text stands in the same conversation."""


NEEDS_EYES: Final = frozenset(FlagKind) - {FlagKind.MODEL_WORDS}
"""What nothing may come into force with unless the user has read it, however mildly it is put."""
