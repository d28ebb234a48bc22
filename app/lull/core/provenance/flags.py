"""Names the kinds of suspicious findings, such as links, commands or hidden characters, that the
screening of a proposed skill can report.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class FlagKind(StrEnum):
    """The kinds of findings for which a skill's text is flagged before anybody approves it."""

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
    """The layout of the user's message allows that it quotes somebody else's words."""
    STRANGERS_NEAR = "strangers-near"
    """The same conversation contains text by somebody else."""


NEEDS_EYES: Final = frozenset(FlagKind) - {FlagKind.MODEL_WORDS}
"""Kinds of findings that the user must read before approval, however mild."""
