"""Praise by negation: "not wrong", "it isn't too long", "you forgot nothing", "no changes needed".

Such words are full of complaint and complain of nothing. They are taken out before a message is
read (`corrections`), which would find the complaint.
"""

from __future__ import annotations

import re

_NOT = r"(?:is not|are not|was not|\w+n['’]t|not|nothing|never|no)"
_BETWEEN = r"(?:(?:is|was|are|really|even|that|so|all|at all|in|there|any|further|more)\s+){0,3}"
_AMISS = (
    r"(?:wrong|bad|incorrect|missing|false|mistaken|a (?:problem|mistake|bug|issue)"
    r"|(?:changes?|corrections?|edits?|mistakes?|errors?|complaints?)"
    r"(?: (?:needed|required|necessary))?)"
)
_DENIED = re.compile(
    # "not wrong", "nothing is missing", "no changes needed"
    rf"\b{_NOT}\s+{_BETWEEN}{_AMISS}\b"
    # "it isn't too long", but not "should not be too long"
    r"|\b(?:is not|isn['’]t|was not|wasn['’]t|['’]s not|not)\s+(?:\w+\s+)?too \w+"
    # "you didn't miss anything", "you forgot nothing"
    r"|\b(?:did|have|has)(?: not|n['’]t)\s+(?:miss\w*|forg[eo]t\w*|overlook\w*)"
    r"|\b(?:missed|forgot|overlooked) nothing\b"
    r"|\bdo(?:es)?(?: not|n['’]t) need (?:to be (?:\w+er|more \w+)|any\w*|more|further|changes?)\b"
    r"|^\s*no\W+i (?:do not|don['’]t) need any\w*(?: else)?"
    r"|\b(?:do(?: not|n['’]t)|never) (?:you )?(?:dare )?(?:to )?change"
    r" (?:it|that|this|anything|a thing|a word)\b"
    r"|\bkeep (?:it|this|that)(?: (?:as it is|like (?:this|that)))?\W*$"
    r"|\bnot what i (?:expected|asked for|had in mind)\W+but (?:\w+ )?"
    r"(?:better|great|good|i (?:like|love))"
    r"|\btoo (?:good|funny|kind|cute|sweet|nice|much fun)\b"
    r"|\bwrong of (?:my|me|him|her|them|us)\b|^\s*i always\b",
    re.IGNORECASE,
)
"""Praise by negation, and what speaks of somebody else: no complaint, whatever words it uses."""
_OUGHT = re.compile(
    r"\b(?:should|must|shall|ought to|supposed to|want it|please)\W*$", re.IGNORECASE
)


def without_denied_complaints(text: str) -> str:
    """The message with every praise by negation in the place of one word for it."""

    def said(match: re.Match[str]) -> str:
        ought = _OUGHT.search(text[max(0, match.start() - 20) : match.start()])
        keeps = "change" in match.group().lower()
        return match.group() if ought and not keeps else "fine"

    return _DENIED.sub(said, text)
