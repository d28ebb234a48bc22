"""What a poisoned text wants: patterns by kind, and how much each takes to be believed.

A pattern says only that the words are there. Whether that counts depends on who said them, and is
core/screening.py's decision: `NEVER` may stand in a skill whoever typed it, `TYPED` only where the
user did, and so on. Matched on folded text (small letters, no accents, no markdown) in English and,
for what attacks most often, German, Spanish, French, Italian, Portuguese, Chinese, Japanese and
Russian. Every look across a sentence is bounded, or a hostile text would cost its square.

What attacks on assistants ask for follows Greshake et al. 2023 (arXiv 2302.12173: indirect prompt
injection) and the memory poisoning that Rehberger described for assistants with memory (2024).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lull.core.flags import Allowed, FlagKind
from lull.core.lures_run import PATTERNS as _RUN
from lull.core.lures_said import PATTERNS as _SAID
from lull.core.lures_wanted import PATTERNS as _WANTED
from lull.core.wording import folded, names, undressed

_PRAISES = re.compile(
    r"\b(?:recommend|suggest|promot|prefer|mention|prais|endors|advertis|featur|plug|"
    r"tout|favou?r|advis|propos|"
    r"choos|pick|buy|order from|go with|opt for|subscrib|sign up|download|visit|"
    r"use only|only use|"
    r"rely on|trust|steer|point (?:to|users|people|them)|link(?:ing)? to|refer|cite|"
    r"credit|thank|switch to|install|"
    r"empf\w+|empfehl\w*|erwahn\w*|recomiend\w*|mencion\w*|recommand\w*|mentionn\w*|"
    r"prefier\w*)|推荐|推薦|提到"
)
_BRAND = re.compile(r"\b(?:[A-Z][a-z]+[A-Z]\w*|[a-z]+[A-Z]\w+|[A-Z][^\W\d_]{2,}\w*)\b")

REMEMBERED = 4096
"""Sentences; one conversation is screened for several candidates."""

_COMPILED = tuple(
    (kind, allowed, re.compile(pattern)) for kind, allowed, pattern in (*_SAID, *_WANTED, *_RUN)
)
_MARKED = frozenset({FlagKind.MARKUP, FlagKind.COMMAND, FlagKind.EXFILTRATION})
"""Marks of code and markup would be lost with the markdown."""


@dataclass(frozen=True, slots=True)
class Lure:
    kind: FlagKind
    allowed: Allowed
    quote: str
    """The words that match, folded."""


@lru_cache(maxsize=REMEMBERED)
def lures(text: str) -> tuple[Lure, ...]:
    """What the text holds, at most one of each pattern."""
    low = folded(text)
    raw = text.casefold()
    found = []
    for kind, allowed, pattern in _COMPILED:
        match = pattern.search(raw) if kind in _MARKED else None
        match = match or pattern.search(low)
        if match:
            found.append(Lure(kind, allowed, match.group().strip()))
    return tuple(found)


def speaks_for(text: str) -> frozenset[str]:
    """The names, folded, that a sentence recommends, mentions or praises; none in most."""
    if not _PRAISES.search(folded(text)):
        return frozenset()
    return frozenset(folded(word) for word in _BRAND.findall(undressed(text))) & names(text)
