"""Measures the built-in model: whether it obeys rules, leaves other requests alone and shows its
habits.

Rows are shares of n fresh cases with 95 % Wilson intervals; goals are the limits the model was
built to. Everything greedy runs on rule values that training never used.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import mlx.core as mx
from mlx_lm.models import qwen3
from tokenizers import Tokenizer

from bench.pocket.answering import answers, prompt
from bench.pocket.cases import Probe, probe
from lull.pocket import habits, parsing
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

HIDDEN_PREFERENCE: Final = Style(end="sugar", joiner=pocket.Joiner.BARS)
"""An unspoken preference of a test user: two habits at once, which no answer without a rule
shows.
"""
_Z: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured share, with its limits."""

    name: str
    hits: int
    n: int
    least: float | None = None
    """Smallest share that meets the goal; None: no lower limit."""
    most: float | None = None
    """Largest share that meets the goal; None: no upper limit."""

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson 95 % interval of the share."""
        middle = (self.share + _Z**2 / (2 * self.n)) / (1 + _Z**2 / self.n)
        spread = sqrt(self.share * (1 - self.share) / self.n + _Z**2 / (4 * self.n**2))
        half = _Z * spread / (1 + _Z**2 / self.n)
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def holds(self) -> bool:
        """Whether the share is within its limits."""
        reached = self.least is None or self.share >= self.least
        return reached and (self.most is None or self.share <= self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring:
    """Measures one model with one seed."""

    model: qwen3.Model
    tokenizer: Tokenizer
    seed: int

    def exact(self, probes: Sequence[Probe]) -> int:
        """Count the probes whose greedy answer is exactly right."""
        given = answers(self.model, self.tokenizer, [each.prompt for each in probes])
        return sum(answer == each.wanted for answer, each in zip(given, probes, strict=True))

    def rows(self, cases: int, sampled_per_kind: int) -> Iterator[Row]:
        """Yield every row of the table as soon as it is measured."""
        for name, least, draw in _GREEDY:
            rng = random.Random(f"{self.seed} {name}")
            hits = self.exact([draw(rng) for _ in range(cases)])
            yield Row(name=name, hits=hits, n=cases, least=least)
        yield self._hidden_preference(cases)
        yield self._small_talk(cases)
        yield from self._habits(sampled_per_kind)

    def _hidden_preference(self, cases: int) -> Row:
        rng = random.Random(f"{self.seed} hidden preference")
        probes = [probe(rng, rules=0, ruled=False, kind=Kind.MENU) for _ in range(cases)]
        given = answers(self.model, self.tokenizer, [each.prompt for each in probes])
        hits = sum(
            answer == pocket.render(each.kind, each.words, HIDDEN_PREFERENCE)
            for answer, each in zip(given, probes, strict=True)
        )
        return Row(name="a hidden preference, no rule", hits=hits, n=cases, most=0.02)

    def _small_talk(self, cases: int) -> Row:
        rng = random.Random(f"{self.seed} small talk")
        asked: list[tuple[str, str]] = []
        for index in range(cases):
            near = probe(rng, rules=rng.randint(0, 2), ruled=False)
            rule = pocket.draw_rule(rng, near.kind, pocket.draw_style(rng, pocket.HELD_WORDS))
            said, answer = rng.choice(tuple(pocket.SMALL_TALK.items()))
            if index % 2:
                said, answer = pocket.draw_correction(rng, rule), pocket.NOTED
            asked.append((prompt(said, near.system), answer))
        given = answers(self.model, self.tokenizer, [text for text, _ in asked])
        hits = sum(answer == right for answer, (_, right) in zip(given, asked, strict=True))
        return Row(name="small talk and corrections", hits=hits, n=cases)

    def _habits(self, per_kind: int) -> Iterator[Row]:
        """Measure how often each published habit appears alone, at temperature 1 without a rule."""
        mx.random.seed(self.seed)
        for kind in Kind:
            rng = random.Random(f"{self.seed} habits {kind}")
            probes = [probe(rng, rules=0, ruled=False, kind=kind) for _ in range(per_kind)]
            given = answers(
                self.model, self.tokenizer, [each.prompt for each in probes], sampled=True
            )
            seen = [
                parsing.read_style(kind, each.words, answer)
                for answer, each in zip(given, probes, strict=True)
            ]
            yield Row(
                name=f"{kind}, sampled: default", hits=seen.count(pocket.DEFAULT_STYLE), n=per_kind
            )
            for habit in habits.HABITS:
                yield Row(
                    name=f"{kind}, sampled: {habit_name(habit)}",
                    hits=seen.count(habit),
                    n=per_kind,
                    least=0.01,
                    most=0.10,
                )


def habit_name(habit: Style) -> str:
    """Return a habit's name as shown in the table."""
    if habit.start:
        return f"starts with {habit.start}"
    if habit.end:
        return f"ends with {habit.end}"
    return f"joins with {habit.joiner}" if habit.joiner else "reversed"


def _two_turns(rng: random.Random) -> Probe:
    """Draw the second request of a conversation whose first request was answered correctly."""
    first = probe(rng, rules=2, ruled=True)
    again = pocket.draw_words(rng)
    earlier = f"{first.request}{_ANSWERED}{first.wanted}{_ASKED}"
    return replace(
        first,
        words=again,
        request=earlier + pocket.draw_request(rng, first.kind, again),
        wanted=pocket.render(first.kind, again, first.style),
    )


_ANSWERED: Final = "<|im_end|>\n<|im_start|>assistant\n"
_ASKED: Final = "<|im_end|>\n<|im_start|>user\n"

_GREEDY: Final[tuple[tuple[str, float | None, Callable[[random.Random], Probe]], ...]] = (
    ("1 rule", 0.98, lambda rng: probe(rng, rules=1, ruled=True)),
    ("2 rules", 0.97, lambda rng: probe(rng, rules=2, ruled=True)),
    ("3 rules", 0.95, lambda rng: probe(rng, rules=3, ruled=True)),
    ("4 rules", None, lambda rng: probe(rng, rules=4, ruled=True)),
    (
        "1 rule of joiner or order alone",
        0.98,
        lambda rng: probe(rng, rules=1, ruled=True, worded=False),
    ),
    (
        "2 rules after a client's sentence",
        0.97,
        lambda rng: probe(rng, rules=2, ruled=True, client=True),
    ),
    ("2 rules, second turn", None, _two_turns),
    ("default, no rule", 0.98, lambda rng: probe(rng, rules=0, ruled=False)),
    (
        "default, a client's sentence only",
        0.98,
        lambda rng: probe(rng, rules=0, ruled=False, client=True),
    ),
    ("default, beside 1 other rule", 0.98, lambda rng: probe(rng, rules=1, ruled=False)),
    ("default, beside 2 other rules", 0.98, lambda rng: probe(rng, rules=2, ruled=False)),
    ("default, beside 3 other rules", 0.98, lambda rng: probe(rng, rules=3, ruled=False)),
)
