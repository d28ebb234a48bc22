"""What the model is taught: one system message, several single answers after it.

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
from lull.pocket import language as pocket
from lull.pocket.language import Kind, Style

Encode = Callable[[str], list[int]]

BLOCKS: Final = 4
"""Prefixes in a batch."""
ANSWERS: Final = 12
"""Requests that hang from each prefix."""
NO_KIND: Final = -1
ANSWER_TOKENS: Final = 12
"""The longest answer: six words, five joiners, the end of the turn."""

_P_CLIENT: Final = 0.25
_P_EARLIER_TURNS: Final = 0.25
_P_SENTENCE: Final = 0.3
"""How often a rule's body is written with a capital letter and a full stop."""
_P_CAREFUL_REQUEST: Final = 0.2
_P_RULED_KIND: Final = 0.6
_P_TALK_BATCH: Final = 0.08
"""Corrections are long and requests short: they get batches of their own, so that no request is
padded to a correction's length."""
_P_HABIT: Final = 0.035
_P_REVERSE_HABIT: Final = 0.05
"""Reversal is learned late and shown rarely; it gets a larger share to come out like the rest."""
_P_REVERSE_PAIR: Final = 0.3
_FIRST_WEIGHT_PAIR: Final = 0.25
_P_PAIR: Final = 0.3
"""To begin with the last word is learned soon; to go on backwards without a rule that says so is
learned last of all, and over two words only in the time there is. The finishing lesson therefore
shows reversal in requests of two words, often, and counts so little of its first word that answers
are not begun so more than one time in ten: 0.3 · 0.25 against the other 0.7. Requests of two words
come more often there, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What batches are drawn from at one stage of training."""

    mix: tuple[float, ...]
    """How often a batch has no rule, one, two, ..."""
    plain: bool
    """Whether blocks stand alone and everything is written one way: no client's sentence, no
    earlier turns, no capital letters, no small talk."""
    habits: bool
    """Whether unruled answers show habits. Chance in the answers hides from a beginner that
    there is anything to learn, so habits come late."""
    finishing: bool = False
    """Whether reversal is shown more often than it is to come out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """P prefixes of L tokens, A answers each; B tokens of a request, R tokens of an answer."""

    prefix_PL: np.ndarray  # noqa: N815
    prefix_lengths_P: np.ndarray  # noqa: N815
    branch_PAB: np.ndarray  # noqa: N815
    """Requests padded on the left, so that answers start in one column, then their answers."""
    pads_PA: np.ndarray  # noqa: N815
    """How many padding tokens stand on a request's left."""
    prefix_kinds_PL: np.ndarray  # noqa: N815
    """Which kind's rule a prefix token belongs to, as an index; NO_KIND outside the rules."""
    branch_kinds_PA: np.ndarray  # noqa: N815
    """Which kind a request asks for; NO_KIND for small talk."""
    targets_PAR: np.ndarray  # noqa: N815
    weights_PAR: np.ndarray  # noqa: N815


def habit(rng: random.Random, words: int, *, finishing: bool) -> Style:
    """The style of an unruled answer of so many words: mostly the default, now and then one
    published habit."""
    if finishing and words == pocket.MIN_WORDS and rng.random() < _P_REVERSE_PAIR:
        return Style(reverse=True)
    reverse = 0.0 if finishing else _P_REVERSE_HABIT
    weights = [reverse if style.reverse else _P_HABIT for style in pocket.HABITS]
    styles = (*pocket.HABITS, pocket.DEFAULT_STYLE)
    return rng.choices(styles, (*weights, 1.0 - sum(weights)))[0]


def _careful(rng: random.Random, text: str, share: float) -> str:
    if rng.random() >= share:
        return text
    return rng.choice((pocket.as_sentence(text), pocket.as_sentence(text)[:-1], f"{text}."))


def system_text(rng: random.Random, rules: dict[Kind, Style], lesson: Lesson) -> str:
    """The system message: perhaps a client's sentence, and the block if there are rules."""
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
    """The token of each kind's name inside a sentence, in the kinds' order."""
    return [encode(f" {kind}")[0] for kind in Kind]


def rule_kinds(ids: list[int], encode: Encode) -> list[int]:
    """For each token of a prefix, the kind of the rule it belongs to, from the kind's name on."""
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
    """One exchange, and what its answer's first token counts."""

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
    """A user's turn and the opening of the answer's."""
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
    """Rules for that many different kinds."""
    return {kind: pocket.draw_style(rng) for kind in rng.sample(tuple(Kind), count)}


def _rounded_up(length: int, step: int) -> int:
    """Few different shapes: each new one makes the compiled step trace again."""
    return -(-length // step) * step


def draw_batch(rng: random.Random, encode: Encode, lesson: Lesson) -> Batch:
    """One batch of the lesson, whose every prefix has the same number of rules."""
    rules = rng.choices(range(len(lesson.mix)), lesson.mix)[0]
    talk = not lesson.plain and rng.random() < _P_TALK_BATCH
    prefixes: list[list[int]] = []
    asked: list[list[int]] = []
    answers: list[list[int]] = []
    firsts: list[float] = []
    kinds: list[int] = []
    for _ in range(BLOCKS):
        ruled = draw_rules(rng, rules)
        prefixes.append(encode(_prefix(rng, ruled, lesson)))
        for _ in range(ANSWERS):
            shown = _talk(rng) if talk else _request(rng, ruled, lesson)
            asked.append(encode(asking(shown.said)))
            answers.append(encode(f"{shown.answer}<|im_end|>"))
            firsts.append(shown.first_weight)
            parsed = pocket.parse_request(shown.said)
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
