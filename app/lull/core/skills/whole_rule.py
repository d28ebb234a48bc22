"""Completes a user's rule that cannot be understood alone ("never do that again") by adding the
sentences before it.
"""

from __future__ import annotations

from lull.core.skills.word_overlap import sentences, subjects


def with_its_subject(rule: str, said: str) -> str:
    """Return a rule that the user stated, preceded by as many of the user's own sentences before it
    as are needed to know what the rule is about.

    "Never do that again." alone does not say what to avoid; with "I hate emojis." before it, it
    does. Returns "" if nothing in `said`, the user's whole message, names a subject: then no skill
    can be made.
    """
    if not rule or subjects(rule):
        return rule
    message = sentences(said)
    own = sentences(rule)
    first = next((n for n, one in enumerate(message) if own and one == own[0]), 0)
    for start in range(first - 1, -1, -1):
        whole = "\n".join((*message[start:first], rule))
        if subjects(whole):
            return whole
    return ""
