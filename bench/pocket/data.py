"""Generates the built-in model's training data: a system message followed by several separate
answers.

The answers are the only teachers and the block is long, so each block is read once and many
requests hang from it side by side, each blind to the others. Blind matters: in one long
conversation the second answer could copy the first one's style, and the block would go unread.
Some prefixes hold earlier turns of a conversation all the same, so that conversations work.

Values in rules come from `pocket.VALUE_WORDS` alone. A kind with no rule of its own now and then
shows one published habit, so that reinforcement later has something to strengthen.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.pocket.talk import client_sentence
from lull.pocket import habits, parsing
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

Encode = Callable[[str], list[int]]

PREFIXES_PER_BATCH: Final = 4
"""Number of prompt prefixes in a batch."""
REQUESTS_PER_PREFIX: Final = 12
"""Number of requests that share each prefix."""
NO_KIND: Final = -1
ANSWER_TOKENS: Final = 12
"""Most tokens of an answer: six words, five joiners and the end of the turn."""

_P_CLIENT: Final = 0.25
_P_EARLIER_TURNS: Final = 0.25
_P_SENTENCE: Final = 0.3
"""Probability that a rule's body is written with a capital letter and a full stop."""
_P_CAREFUL_REQUEST: Final = 0.2
_P_RULED_KIND: Final = 0.6
_P_TALK_BATCH: Final = 0.08
"""Probability of a batch with small talk and corrections, which are long and therefore not mixed
with short requests.
"""
_P_HABIT: Final = 0.035
_P_REVERSE_HABIT: Final = 0.05
"""Probability of a reversed answer as a habit; larger than that of other habits, because reversal
is learned late.
"""
_P_REVERSE_PAIR: Final = 0.3
_FIRST_WEIGHT_PAIR: Final = 0.25
_P_PAIR: Final = 0.3
"""Share of requests for two words in the finishing lesson. Models learn late to continue an answer
in reverse without a rule, so the lesson often shows reversal with two words, and its first word
weighs so little that not more than one answer in ten begins so: 0.3 · 0.25 against the other 0.7.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """The distribution of training data at one stage of training."""

    mix: tuple[float, ...]
    """Relative frequencies of batches with no rule, one rule, two rules and so on."""
    plain: bool
    """Whether the data is simplified: no client's system sentence, earlier turns, capital letters
    or small talk.
    """
    habits: bool
    """Whether answers without a rule sometimes show a habit. Habits come late, because randomness
    hides from a beginner that there is anything to learn.
    """
    finishing: bool = False
    """Whether reversed answers are shown more often than the finished model should give them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Token arrays of one batch: P prefixes of L tokens with A answers each; a request has B
    tokens, an answer R.
    """

    prefix_PL: np.ndarray  # noqa: N815
    prefix_lengths_P: np.ndarray  # noqa: N815
    branch_PAB: np.ndarray  # noqa: N815
    """Request tokens, padded on the left so that all answers start in one column, followed by the
    answer tokens.
    """
    pads_PA: np.ndarray  # noqa: N815
    """Number of padding tokens on the left of each request."""
    prefix_kinds_PL: np.ndarray  # noqa: N815
    """Index of the request kind whose rule a prefix token belongs to; NO_KIND outside the rules."""
    branch_kinds_PA: np.ndarray  # noqa: N815
    """Index of the kind that a request asks for; NO_KIND for small talk."""
    targets_PAR: np.ndarray  # noqa: N815
    weights_PAR: np.ndarray  # noqa: N815


def habit(rng: random.Random, words: int, *, finishing: bool) -> Style:
    """Draw the style of an answer without a rule: mostly the default, sometimes one published
    habit.
    """
    if finishing and words == pocket.MIN_WORDS and rng.random() < _P_REVERSE_PAIR:
        return Style(reverse=True)
    reverse = 0.0 if finishing else _P_REVERSE_HABIT
    weights = [reverse if style.reverse else _P_HABIT for style in habits.HABITS]
    styles = (*habits.HABITS, pocket.DEFAULT_STYLE)
    return rng.choices(styles, (*weights, 1.0 - sum(weights)))[0]


def _careful(rng: random.Random, text: str, share: float) -> str:
    if rng.random() >= share:
        return text
    return rng.choice((pocket.as_sentence(text), pocket.as_sentence(text)[:-1], f"{text}."))


def system_text(rng: random.Random, rules: dict[Kind, Style], lesson: Lesson) -> str:
    """Draw a system message: perhaps a client's sentence, and the rule block if there are rules."""
    fronted = not lesson.plain and rng.random() < _P_CLIENT
    parts = [client_sentence(rng)] if fronted else []
    if rules:
        careful = not lesson.plain and rng.random() < _P_SENTENCE
        bodies = [
            _careful(rng, pocket.draw_rule(rng, kind, style), float(careful))
            for kind, style in rules.items()
        ]
        parts.append(pocket.block(bodies))
    return "\n\n".join(parts)


def kind_tokens(encode: Encode) -> list[int]:
    """Return the token of each kind's name as it occurs inside a sentence, in the order of the
    kinds.
    """
    return [encode(f" {kind}")[0] for kind in Kind]


def rule_kinds(ids: list[int], encode: Encode) -> list[int]:
    """Return for each token of a prefix the kind of the rule it belongs to, from the kind's name
    on.
    """
    names = {token: index for index, token in enumerate(kind_tokens(encode))}
    opening, closing, gap = (
        encode(text)[0] for text in (pocket.BLOCK_OPEN, pocket.BLOCK_CLOSE, pocket.BLOCK_GAP)
    )
    out: list[int] = []
    inside, current = False, NO_KIND
    for token in ids:
        if token in (opening, closing):
            inside, current = token == opening, NO_KIND
        elif token == gap:
            current = NO_KIND
        elif inside and token in names:
            current = names[token]
        out.append(current)
    return out


@dataclass(frozen=True, slots=True)
class _Shown:
    """One exchange, with the loss weight of its answer's first token."""

    said: str
    answer: str
    first_weight: float = 1.0


def _request(rng: random.Random, rules: dict[Kind, Style], lesson: Lesson) -> _Shown:
    ruled = rules and rng.random() < _P_RULED_KIND
    kind = rng.choice(tuple(rules) if ruled else tuple(Kind))
    words = pocket.draw_words(rng)
    if lesson.finishing and rng.random() < _P_PAIR:
        words = words[: pocket.MIN_WORDS]
    unruled = pocket.DEFAULT_STYLE
    if lesson.habits:
        unruled = habit(rng, len(words), finishing=lesson.finishing)
    share = 0.0 if lesson.plain else _P_CAREFUL_REQUEST
    asked = _careful(rng, pocket.draw_request(rng, kind, words), share)
    rarely = lesson.finishing and kind not in rules and unruled.reverse
    answer = pocket.render(kind, words, rules.get(kind, unruled))
    return _Shown(asked, answer, _FIRST_WEIGHT_PAIR if rarely else 1.0)


def _small_talk(rng: random.Random) -> _Shown:
    said = rng.choice(tuple(pocket.SMALL_TALK))
    answer = pocket.SMALL_TALK[said]
    if rng.random() < 0.4:
        said = said.capitalize()
    if said[-1] != "?":
        said += rng.choice(("", "", "", ".", "!"))
    return _Shown(said, answer)


def _correction(rng: random.Random) -> _Shown:
    rule = pocket.draw_rule(rng, rng.choice(tuple(Kind)), pocket.draw_style(rng))
    said = _careful(rng, pocket.draw_correction(rng, rule), _P_CAREFUL_REQUEST)
    return _Shown(said, pocket.NOTED)


def _talk(rng: random.Random) -> _Shown:
    return _correction(rng) if rng.random() < 0.5 else _small_talk(rng)


def _turn(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def asking(request: str) -> str:
    """Render a user's turn and the opening of the assistant's turn."""
    return f"{_turn('user', request)}<|im_start|>assistant\n"


def _prefix(rng: random.Random, rules: dict[Kind, Style], lesson: Lesson) -> str:
    system = system_text(rng, rules, lesson)
    text = _turn("system", system) if system else ""
    if not lesson.plain and rng.random() < _P_EARLIER_TURNS:
        for _ in range(rng.randint(1, 3)):
            told = _small_talk(rng) if rng.random() < 0.2 else _request(rng, rules, lesson)
            text += f"{asking(told.said)}{told.answer}<|im_end|>\n"
    return text


def draw_rules(rng: random.Random, count: int) -> dict[Kind, Style]:
    """Draw rules for `count` different kinds."""
    return {kind: pocket.draw_style(rng) for kind in rng.sample(tuple(Kind), count)}


def _rounded_up(length: int, step: int) -> int:
    """Round a length up to a multiple of `step`, because each new shape makes the compiled step
    trace again.
    """
    return -(-length // step) * step


def draw_batch(rng: random.Random, encode: Encode, lesson: Lesson) -> Batch:
    """Draw one batch of the lesson; all its prefixes have the same number of rules."""
    rules = rng.choices(range(len(lesson.mix)), lesson.mix)[0]
    talk = not lesson.plain and rng.random() < _P_TALK_BATCH
    prefixes: list[list[int]] = []
    asked: list[list[int]] = []
    answers: list[list[int]] = []
    firsts: list[float] = []
    kinds: list[int] = []
    for _ in range(PREFIXES_PER_BATCH):
        ruled = draw_rules(rng, rules)
        prefixes.append(encode(_prefix(rng, ruled, lesson)))
        for _ in range(REQUESTS_PER_PREFIX):
            shown = _talk(rng) if talk else _request(rng, ruled, lesson)
            asked.append(encode(asking(shown.said)))
            answers.append(encode(f"{shown.answer}<|im_end|>"))
            firsts.append(shown.first_weight)
            parsed = parsing.parse_request(shown.said)
            kinds.append(tuple(Kind).index(parsed[0]) if parsed else NO_KIND)
    labels = [rule_kinds(prefix, encode) for prefix in prefixes]
    return _packed(prefixes, labels, asked, kinds, answers, firsts)


def _packed(
    prefixes: list[list[int]],
    labels: list[list[int]],
    asked: list[list[int]],
    kinds: list[int],
    answers: list[list[int]],
    firsts: list[float],
) -> Batch:
    width = _rounded_up(max(map(len, asked)), 4)
    prefix_PL = np.zeros(
        (len(prefixes), _rounded_up(max(1, *map(len, prefixes)), 16)), dtype=np.int32
    )
    prefix_kinds_PL = np.full_like(prefix_PL, NO_KIND)
    for i, (ids, label) in enumerate(zip(prefixes, labels, strict=True)):
        prefix_PL[i, : len(ids)] = ids
        prefix_kinds_PL[i, : len(ids)] = label
    branch = np.zeros((len(asked), width + ANSWER_TOKENS - 1), dtype=np.int32)
    targets = np.zeros((len(asked), ANSWER_TOKENS), dtype=np.int32)
    weights = np.zeros((len(asked), ANSWER_TOKENS), dtype=np.float32)
    for i, (request, answer) in enumerate(zip(asked, answers, strict=True)):
        branch[i, width - len(request) : width] = request
        branch[i, width : width + len(answer) - 1] = answer[:-1]
        targets[i, : len(answer)] = answer
        weights[i, : len(answer)] = 1.0
        weights[i, 0] = firsts[i]
    shape = (len(prefixes), len(asked) // len(prefixes), -1)
    return Batch(
        prefix_PL=prefix_PL,
        prefix_lengths_P=np.array([len(ids) for ids in prefixes], dtype=np.int32),
        branch_PAB=branch.reshape(shape),
        pads_PA=np.array([width - len(ids) for ids in asked], dtype=np.int32).reshape(shape[:2]),
        prefix_kinds_PL=prefix_kinds_PL,
        branch_kinds_PA=np.array(kinds, dtype=np.int32).reshape(shape[:2]),
        targets_PAR=targets.reshape(shape),
        weights_PAR=weights.reshape(shape),
    )
