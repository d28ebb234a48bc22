"""Test questions with known answers, using rule values that training never used.

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
    """One request with its system message and the right answer."""

    kind: Kind
    words: tuple[str, ...]
    system: str
    """The system message; empty if there is none."""
    request: str
    style: Style
    """The style that the rule for this kind of request asks for; the default if no rule does."""
    wanted: str

    @property
    def prompt(self) -> str:
        """The whole prompt, exactly as the model is served."""
        return prompt(self.request, self.system)


def held_style(rng: random.Random) -> Style:
    """Draw a style with at least one held-out word."""
    while True:
        style = pocket.draw_style(rng, pocket.HELD_WORDS)
        if style.start or style.end:
            return style


def ordinary_style(rng: random.Random) -> Style:
    """Draw a style without words: another joiner, reversed order, or both."""
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
    """Draw a request under `rules` rules; if `ruled`, one of them is for the request's kind.

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
    """Yield test cases for external checks, one JSON object per line."""
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
