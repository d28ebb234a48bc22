"""Re-exports the public functions and types for checks on answers.

A check is proposed with a skill; the user sees it in words and approves it like the skill's text.
From then on it is a verifier; only the user's own rating is trusted more.
"""

from lull.core.checks.check import NO_TOOLS, Check, CheckKind, Tools
from lull.core.checks.holding import holds, offered
from lull.core.checks.reading import parse, to_json
from lull.core.checks.wording import in_words

__all__ = [
    "NO_TOOLS",
    "Check",
    "CheckKind",
    "Tools",
    "holds",
    "in_words",
    "offered",
    "parse",
    "to_json",
]
