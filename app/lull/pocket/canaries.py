"""Draws canary probes (prompts with known right answers) for Lull's tiny built-in model, in the toy
language of fixed phrases that it speaks.

The families cover what the model was trained to do: answer in its default styles, follow one to
three rules in the prompt, ignore rules for other request kinds, and small talk. Rules use words
that training never used as values, so the probes measure reading, not recall.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from lull.core.adapters.canary import CanaryTask
from lull.core.adapters.canary_checks import CanaryKind, CanaryRule
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

PROBES_PER_FAMILY: Final = 40
"""Number of canary probes per family; one failed probe costs 2.5 percentage points."""


def pocket_canaries(seed: int, *, each: int = PROBES_PER_FAMILY) -> list[CanaryTask]:
    """Draw canary probes (prompts with known right answers) of every family (kind of task), to test
    the tiny model of the toy language; the same seed gives the same probes.
    """
    return [
        draw(random.Random(f"{seed}\0{family}\0{number}"), family, number)
        for family, draw in _FAMILIES.items()
        for number in range(each)
    ]


def _default(rng: random.Random, family: str, number: int) -> CanaryTask:
    """A request without rules: the kind's default style is right."""
    return _asked(rng, family, number, kind=_kind(rng), styles={})


def _ruled(attributes: int) -> Callable[[random.Random, str, int], CanaryTask]:
    """A request with one rule of `attributes` attributes for its kind."""

    def draw(rng: random.Random, family: str, number: int) -> CanaryTask:
        kind = _kind(rng)
        return _asked(rng, family, number, kind=kind, styles={kind: _held(rng, attributes)})

    return draw


def _among_others(rng: random.Random, family: str, number: int) -> CanaryTask:
    """Three skills in the prompt, one of them for the requested kind."""
    kinds = rng.sample(tuple(Kind), 3)
    styles = {kind: _held(rng, rng.randint(1, 2)) for kind in kinds}
    return _asked(rng, family, number, kind=rng.choice(kinds), styles=styles)


def _other_kinds(rng: random.Random, family: str, number: int) -> CanaryTask:
    """Skills in the prompt, none of them for the requested kind."""
    kind, *others = rng.sample(tuple(Kind), rng.randint(2, 3))
    styles = {other: _held(rng, rng.randint(1, 2)) for other in others}
    return _asked(rng, family, number, kind=kind, styles=styles)


def _small_talk(rng: random.Random, family: str, number: int) -> CanaryTask:
    said = rng.choice(sorted(pocket.SMALL_TALK))
    return CanaryTask(
        id=f"{family}/{number}",
        family=family,
        prompt=said,
        wanted=_verbatim(pocket.SMALL_TALK[said]),
        right=(pocket.SMALL_TALK[said],),
        wrong=("apple and river",),
    )


_FAMILIES: Final[Mapping[str, Callable[[random.Random, str, int], CanaryTask]]] = {
    "default styles": _default,
    "one rule": _ruled(1),
    "two rules": _ruled(2),
    "three rules": _ruled(3),
    "a skill among others": _among_others,
    "other kinds": _other_kinds,
    "small talk": _small_talk,
}


def _kind(rng: random.Random) -> Kind:
    return rng.choice(tuple(Kind))


def _held(rng: random.Random, attributes: int) -> Style:
    return pocket.draw_style(rng, pocket.HELD_WORDS, attributes=attributes)


def _asked(
    rng: random.Random, family: str, number: int, *, kind: Kind, styles: Mapping[Kind, Style]
) -> CanaryTask:
    words = pocket.draw_words(rng)
    right = pocket.render(kind, words, styles.get(kind, pocket.DEFAULT_STYLE))
    rules = [pocket.draw_rule(rng, one, style) for one, style in styles.items()]
    return CanaryTask(
        id=f"{family}/{number}",
        family=family,
        prompt=pocket.draw_request(rng, kind, words),
        wanted=_verbatim(right),
        skills=tuple(rules),
        about="" if kind in styles else kind.value,
        right=(right,),
        wrong=(pocket.render(kind, words, Style(start="pearl", end="pearl")),),
    )


def _verbatim(answer: str) -> CanaryRule:
    return CanaryRule(kind=CanaryKind.VERBATIM, fields={"answer": answer})
