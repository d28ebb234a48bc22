"""The kinds of findings that screening may have about a candidate, and what each needs to pass.

Only names stand here; the patterns are in core/lures.py and its tables, the decision in
core/screening.py.
"""

from __future__ import annotations

from enum import StrEnum


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
    OWN_RULES = "own-rules"
    CONCEALMENT = "concealment"
    EXFILTRATION = "exfiltration"
    PERSISTENCE = "persistence"
    AUTHORITY = "authority"
    ADVERTISING = "advertising"
    SAFETY = "safety"
    MONEY = "money-or-health"
    UNTRUSTED = "untrusted-source"
    INFLUENCE = "under-influence"
    MODEL_WORDS = "model-words"


class Allowed(StrEnum):
    NEVER = "never"
    """In no skill, whoever said it."""
    DENIED = "denied"
    """Never, unless the user typed that it is *not* to be done ("never use rm -rf")."""
    TYPED = "typed"
    """Where the user typed it."""
    SHOWN = "shown"
    """Wherever no untrusted text stands behind it; the user is told."""
