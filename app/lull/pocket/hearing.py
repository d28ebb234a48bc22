"""Rewrites rules as people phrase them, such as "menus should end with sugar", to the fixed
phrasing of the toy language, "for a menu, end with sugar".

Likewise "whenever I ask for notes, reverse them" becomes "for a note, reverse the words". The
parser checks afterwards whether the words belong to the toy language at all.
"""

from __future__ import annotations

import re

_KIND = r"(?:(?:an?|any|every|each|all|my|our|your|the) ){0,2}(?P<kind>[a-z]+?)s?"
_WHEN = (
    r"(?:when(?:ever)?|every time|each time|any time|if) (?:i|you|we) (?:write|make|create|draft"
    r"|give me|want|need|request|ask(?: you)? for)"
)
_BEFORE = re.compile(rf"^(?:{_WHEN}|for|in|with) {_KIND}(?:, ?| )(?P<clauses>\S.*)$")
_BEHIND = re.compile(
    r"^(?P<clauses>\S.*?),? (?:(?:when(?:ever)?|every time|each time|if) (?:i|you|we) (?:write|make"
    rf"|create|draft|give me|want|need|request|ask(?: you)? for)|for|in|of) {_KIND}$"
)
_NORM = re.compile(
    rf"^{_KIND} (?:should|must|have to|has to|need to|needs to|always) (?P<clauses>\S.*)$"
)
_LEAD = re.compile(r"^(?:(?:please|always|just|only|also|do) )+")
_IT = r"(?:(?:it|them|the words|all words|the words of it) )?"
_SAID = (
    (
        r"(?:reverse|flip)(?: (?:it|them|(?:the order of )?(?:all )?(?:the )?words))?"
        r"|(?:keep the words|be|have the words) (?:reversed|flipped)",
        "reverse the words",
    ),
    (rf"(?:join|separate|connect) {_IT}(?:with|by|using) (?P<value>\w+)", "join with {}"),
    (r"(?:use|put) (?P<value>\w+) between (?:them|(?:all |the )*words)", "use {}"),
    (rf"(?:start|begin|open) {_IT}(?:with|in|by) (?P<value>\w+)", "start with {}"),
    (rf"(?:finish|end|close) {_IT}(?:with|in|by) (?P<value>\w+)", "end with {}"),
    (r"put (?P<value>\w+) (?:at the (?:very )?(?:end|bottom)|last)", "end with {}"),
    (
        r"put (?P<value>\w+) (?:at the (?:very )?(?:start|beginning|top|front)|first)",
        "start with {}",
    ),
    (r"be (?:joined|separated) (?:with|by) (?P<value>\w+)", "join with {}"),
)
_CLAUSES = tuple((re.compile(pattern), frame) for pattern, frame in _SAID)
_BETWEEN = re.compile(r", and |, | and ")
_POLITE = re.compile(r",? (?:please|instead|next time|from now on)$")
_CONTRAST = re.compile(r"(?:and |but )?not [a-z]+")
"""Matches the clause to drop in "use bars, not stars"."""


def normalize_phrasing(said: str) -> str:
    """Rewrite a rule as people phrase it, such as "menus should end with sugar", to the toy
    language's fixed phrasing; return it unchanged if no pattern matches.

    `said` is the rule in lower case, without its full stop.
    """
    for pattern in (_BEFORE, _BEHIND, _NORM):
        if found := pattern.match(said):
            wished = _BETWEEN.split(_POLITE.sub("", found["clauses"]))
            clauses = [_clause(said) for said in wished if not _CONTRAST.fullmatch(said)]
            return f"for a {found['kind']}, {' and '.join(clauses)}"
    return said


def _clause(said: str) -> str:
    bare = _LEAD.sub("", said)
    for pattern, frame in _CLAUSES:
        if found := pattern.fullmatch(bare):
            return frame.format(found["value"]) if "{}" in frame else frame
    return bare
