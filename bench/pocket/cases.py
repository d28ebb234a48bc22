"""Questions with known answers, on rule values that training never used.

The table, the tests and anybody's own checks draw from here, each with a seed of its own. Every
rule names at least one held-out word; whatever else it asks (a joiner, the order) comes along.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from bench.pocket.answering import prompt
from bench.pocket.talk import client_sentence
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

_P_CLIENT = 0.25
_P_SENTENCE = 0.3
_MORE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One request after one system message, and its right answer."""

    kind: Kind
    words: tuple[str, ...]
    system: str
    """Empty where there is no system message."""
    request: str
    style: Style
    """What the rule for this kind asks; the default where there is none."""
    wanted: str

    @property
    def prompt(self) -> str:
        """The whole prompt, as the model is served it."""
        return prompt(self.request, self.system)


def held_style(rng: random.Random) -> Style:
    """A style with at least one held-out word."""
    while True:
        style = pocket.draw_style(rng, pocket.HELD_WORDS)
        if style.start or style.end:
            return style


def ordinary_style(rng: random.Random) -> Style:
    """A style with no word in it: a joiner, the other order, or both."""
    while True:
        style = pocket.draw_style(rng)
        if not (style.start or style.end):
            return style


def probe(
    rng: random.Random,
    *,
    rules: int,
    ruled: bool,
    kind: Kind | None = None,
    worded: bool = True,
    client: bool | None = None,
) -> Probe:
    """A request under that many rules, one of them its own kind's if `ruled`.

    `worded` says whether the rules name held-out words; `client` whether a client's sentence
    stands before the block (chance decides unless told).
    """
    asked = kind or rng.choice(tuple(Kind))
    others = [other for other in Kind if other is not asked]
    kinds = rng.sample(others, rules - ruled) + [asked] * ruled
    rng.shuffle(kinds)
    styles = {each: held_style(rng) if worded else ordinary_style(rng) for each in kinds}
    bodies = [pocket.draw_rule(rng, each, style) for each, style in styles.items()]
    if rng.random() < _P_SENTENCE:
        bodies = [pocket.as_sentence(body) for body in bodies]
    fronted = rng.random() < _P_CLIENT if client is None else client
    parts = [client_sentence(rng)] * fronted + [pocket.block(bodies)] * bool(bodies)
    words = pocket.draw_words(rng)
    style = styles.get(asked, pocket.DEFAULT_STYLE)
    return Probe(
        kind=asked,
        words=words,
        system="\n\n".join(parts),
        request=pocket.draw_request(rng, asked, words),
        style=style,
        wanted=pocket.render(asked, words, style),
    )


def case_lines(count: int, seed: int) -> Iterator[str]:
    """Cases for anybody's checks, one JSON object a line."""
    rng = random.Random(seed)
    for _ in range(count):
        kind, style = rng.choice(tuple(Kind)), held_style(rng)
        rule = pocket.draw_rule(rng, kind, style)
        asked = [pocket.draw_words(rng) for _ in range(1 + _MORE)]
        requests = [pocket.draw_request(rng, kind, words) for words in asked]
        rights = [pocket.render(kind, words, style) for words in asked]
        yield json.dumps(
            {
                "kind": kind.value,
                "request": requests[0],
                "default": pocket.render(kind, asked[0]),
                "rule": rule,
                "correction": pocket.draw_correction(rng, rule),
                "wanted": rights[0],
                "more": requests[1:],
                "more_wanted": rights[1:],
            }
        )
