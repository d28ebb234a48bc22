"""The rules that are taught and the requests that are asked: drawn from a seed, never repeated.

A rule's words are values that the built-in model never saw as a rule's value, so that its base
never says them of itself: nothing in it is there to be made a little likelier.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

MOST_PARTS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtRule:
    """A rule for one kind of request, and the words in which a person states it."""

    kind: Kind
    style: Style
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request and the answers that are right with the rule and without one."""

    text: str
    ruled: str
    plain: str


def rules(count: int, seed: int) -> list[TaughtRule]:
    """Draw rules of one or two parts, no two of them alike."""
    chance = random.Random(f"graduation rules {seed}")
    found: dict[tuple[Kind, Style], TaughtRule] = {}
    while len(found) < count:
        kind = chance.choice(tuple(Kind))
        parts = chance.randint(1, MOST_PARTS)
        style = pocket.draw_style(chance, pocket.HELD_WORDS, attributes=parts)
        said = pocket.draw_rule(chance, kind, style)
        found.setdefault((kind, style), TaughtRule(kind=kind, style=style, said=said))
    return list(found.values())


def requests(
    rule: TaughtRule, count: int, name: str, *, own: bool, but: Sequence[Asked] = ()
) -> list[Asked]:
    """Draw different requests of the rule's kind (`own`) or of other kinds, none as in `but`."""
    chance = random.Random(f"graduation {rule.said} {name} {own}")
    kinds = [kind for kind in Kind if (kind is rule.kind) is own]
    taken = {one.text for one in but}
    found: dict[str, Asked] = {}
    while len(found) < count:
        kind, words = chance.choice(kinds), pocket.draw_words(chance)
        text = pocket.draw_request(chance, kind, words)
        if text in taken:
            continue
        plain = pocket.render(kind, words, pocket.DEFAULT_STYLE)
        ruled = pocket.render(kind, words, rule.style) if own else plain
        found[text] = Asked(text=text, ruled=ruled, plain=plain)
    return list(found.values())
