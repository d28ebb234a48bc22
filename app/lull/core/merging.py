"""When a new wish on the same matter takes the place of an older one, and what both say together.

"Join with stars" after "join with bars" is a change of mind, not a second rule: with both in the
prompt a model would have to guess. "Finish with sugar" after it is an addition and can stand beside
it. Rules are told apart by their clauses: the same verb about the same thing, with another value.
What is proposed of this is shown to the user as an edit, word by word.
"""

from __future__ import annotations

import re

from lull.core.retrieval import terms

_CLAUSES = re.compile(r",\s+(?:and\s+)?|\s+and\s+")
_LEAD = re.compile(r"^(?P<situation>(?:when|whenever|if|for|in)\b[^,]+),\s+(?P<rest>.+?)\.?$", re.I)
_MEANING = {
    **dict.fromkeys(("start", "begin", "open"), "start"),
    **dict.fromkeys(("end", "finish", "close", "conclude"), "end"),
    **dict.fromkeys(("join", "separate", "connect", "divide", "split"), "join"),
    **dict.fromkeys(("reverse", "flip", "sort", "order"), "order"),
    **dict.fromkeys(("answer", "reply", "respond", "write", "speak"), "answer"),
}
"""Verbs about the same thing: two of a class with other values contradict each other."""
_SAME = _MEANING | {
    **dict.fromkeys(("reverse", "flip"), "reverse"),
    **dict.fromkeys(("sort", "order"), "sort"),
    **dict.fromkeys(("divide", "split"), "split"),
}
"""Verbs that say the same: two of a class with the same value are one wish."""
_DOING = frozenset(
    terms("write make give create answer ask reply draft prepare produce send do format want")
)
_DENIES = frozenset(("never", "not", "don't"))
_BEFORE_VERB = _DENIES | {"always", "please", "just", "ever"}
_SMALL = frozenset(
    ("with", "in", "by", "as", "to", "at", "on", "the", "a", "an", "your", "my", "it", "them")
)


def merged(old: str, new: str) -> str | None:
    """The old rule with those of its clauses replaced that the new one says otherwise; None where
    the two are not about the same situation, or the new one contradicts nothing in the old."""
    rules = _same_matter(old, new)
    if rules is None:
        return None
    situation, kept, said = rules
    changed = False
    for clause in said:
        if any(_means(own, clause) for own in kept):
            continue
        at = next((i for i, own in enumerate(kept) if _contradicts(own, clause)), None)
        if at is None:
            kept.append(clause)
        else:
            changed = True
            kept[at] = clause
    return f"{situation}, {_enumerated(kept)}." if changed else None


def keeps_some(old: str, both: str) -> bool:
    """True when a clause of the old rule stands in what came of it."""
    rules = _same_matter(old, both)
    return rules is not None and not set(rules[1]).isdisjoint(rules[2])


def says_already(old: str, new: str) -> bool:
    """True when every clause of the new rule stands in the old one, in these words or in others."""
    rules = _same_matter(old, new)
    return rules is not None and all(
        any(_means(own, clause) for own in rules[1]) for clause in rules[2]
    )


def _same_matter(old: str, new: str) -> tuple[str, list[str], list[str]] | None:
    """The situation in the old one's words, and the clauses of both."""
    first, second = _LEAD.match(" ".join(old.split())), _LEAD.match(" ".join(new.split()))
    if first is None or second is None:
        return None
    if _matter(first["situation"]) != _matter(second["situation"]):
        return None
    return first["situation"], _CLAUSES.split(first["rest"]), _CLAUSES.split(second["rest"])


def _matter(situation: str) -> frozenset[str]:
    """What the situation is about: its nouns, more or less."""
    words = frozenset(terms(situation))
    return words - _DOING or words


def _contradicts(old: str, new: str) -> bool:
    """The same verb about the same thing; whether the value differs is another question."""
    one, denied = _said(old)
    other, denied_now = _said(new)
    if not one or not other:
        return False
    verbs = {_MEANING.get(words[0], words[0]) for words in (one, other)}
    if denied and denied_now:
        return False  # two things that are not wanted
    if denied or denied_now:
        return len(verbs) == 1 and not set(_value(one)).isdisjoint(_value(other))
    if "use" in verbs:
        # "Use stars" and "join with bars" name one thing each; "use British spelling" does not.
        return verbs <= {"use", "join"} and len(_value(one)) == len(_value(other)) == 1
    return len(verbs) == 1 and _small(one) == _small(other)


def _means(old: str, new: str) -> bool:
    """The same words, or "begin with golden" and "start with golden"."""
    if old == new:
        return True
    one, denied = _said(old)
    other, denied_now = _said(new)
    if not one or not other or denied is not denied_now:
        return False
    verbs = {_SAME.get(words[0], words[0]) for words in (one, other)}
    if "use" in verbs:
        alike = verbs <= {"use", "join"} and len(_value(one)) == 1
    else:
        alike = len(verbs) == 1 and _small(one) == _small(other)
    # As it was written: whoever wants "Cheers" does not want "cheers".
    return alike and _value(old.split()[-len(one) :]) == _value(new.split()[-len(other) :])


def _said(clause: str) -> tuple[list[str], bool]:
    """The clause from its verb on, and whether it is denied: "always" is no verb, and two wishes
    are not about the same thing because both are for always."""
    words = clause.lower().split()
    denied = False
    while words and (words[0] in _BEFORE_VERB or words[:2] == ["do", "not"]):
        denied = denied or words[0] in _DENIES
        words = words[1:]
    return words, denied


def _small(words: list[str]) -> str:
    """The little word behind the verb: "in" of "answer in German"."""
    return words[1] if len(words) > 1 and words[1] in _SMALL else ""


def _value(words: list[str]) -> list[str]:
    return [word for word in words[1:] if word not in _SMALL]


def _enumerated(clauses: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(clauses[:-1]), clauses[-1]) if part)
