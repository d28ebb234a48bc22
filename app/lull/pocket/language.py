"""Defines the toy language of Lull's tiny built-in model: its words, kinds of request (list, menu
…), answer styles, and the phrases for requests, rules and corrections.

It is small enough to be learned from scratch in under an hour, yet shows the whole product: six
kinds of request, each with a default style, and formatting rules as people phrase them. Every
request has one right answer, and phrasings can be parsed back, so a correction in words is checked
without a model.

Nothing here creates randomness: callers pass a `random.Random`.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Final

from lull.core.skills.prompt_block import BETWEEN, CLOSING, OPENING

BLOCK_OPEN: Final = OPENING
BLOCK_GAP: Final = BETWEEN
BLOCK_CLOSE: Final = CLOSING


class Kind(StrEnum):
    """A kind of request in the toy language, such as a list or a menu; each kind has its own
    separator between the words of an answer.
    """

    LIST = "list"
    MENU = "menu"
    ROUTE = "route"
    LABEL = "label"
    NOTE = "note"
    PLAN = "plan"

    @property
    def default_joiner(self) -> str:
        """The text that stands between two words of an answer to this kind of request when no rule
        says otherwise.
        """
        return _DEFAULT_JOINERS[self]


_DEFAULT_JOINERS: Final = {
    Kind.LIST: ", ",
    Kind.MENU: " and ",
    Kind.ROUTE: " to ",
    Kind.LABEL: " / ",
    Kind.NOTE: " ",
    Kind.PLAN: " then ",
}


class Joiner(StrEnum):
    """A separator, such as bars or dashes, that a rule in the toy language may ask to put between
    the words of an answer. An answer style without one (None) uses the default separator of the
    kind of request.
    """

    BARS = "bars"
    DASHES = "dashes"
    PLUSES = "pluses"
    STARS = "stars"
    ARROWS = "arrows"

    @property
    def text(self) -> str:
        """The text of the separator, as it stands between two words."""
        return _JOINER_TEXTS[self]


_JOINER_TEXTS: Final = {
    Joiner.BARS: " | ",
    Joiner.DASHES: " - ",
    Joiner.PLUSES: " + ",
    Joiner.STARS: " * ",
    Joiner.ARROWS: " > ",
}

VALUE_WORDS: Final = tuple(
    """apple river stone cloud green happy mouse table chair bread light night water house
    plant music horse tiger lemon ocean paper glass metal candy robot piano train plane truck smile
    dream queen knight castle forest desert island bridge garden winter summer spring autumn golden
    copper velvet cotton pepper ginger butter sugar honey silver quiet fresh onion carrot salt
    berry basket window candle feather ladder button pencil pocket ribbon hammer anchor barrel
    kettle spoon""".split()  # noqa: SIM905 - a paragraph of words reads better
)
"""Words that rules in the training data may name as start or end word."""

HELD_WORDS: Final = tuple(
    """coral maple amber cheese coffee orange banana cherry shadow pearl rocket violet marble
    walnut falcon saddle""".split()  # noqa: SIM905
)
"""Words that occur in training requests and answers, but never as the word that a rule asks for;
they measure whether the model *reads* its rules instead of recalling them.
"""

WORDS: Final = VALUE_WORDS + HELD_WORDS
MIN_WORDS: Final = 2
MAX_WORDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How an answer in the toy language differs from the default: in its first word, its last word,
    the separator between words, or their order.
    """

    start: str | None = None
    """Word that the answer puts before all others."""
    end: str | None = None
    """Word that the answer puts after all others."""
    joiner: Joiner | None = None
    reverse: bool = False
    """Whether the answer reverses the request's words; start and end words keep their places."""

    def __bool__(self) -> bool:
        return self != DEFAULT_STYLE

    def parts(self) -> tuple["Style", ...]:
        """Split an answer's style into several styles of one attribute each (first word, last word,
        separator or order).
        """
        singles = (
            Style(start=self.start),
            Style(end=self.end),
            Style(joiner=self.joiner),
            Style(reverse=self.reverse),
        )
        return tuple(part for part in singles if part)


DEFAULT_STYLE: Final = Style()


def render(kind: Kind, words: Sequence[str], style: Style = DEFAULT_STYLE) -> str:
    """Return the one right answer to a request of this kind in the toy language: the request's
    words, joined and arranged as the style says.
    """
    middle = tuple(reversed(words)) if style.reverse else tuple(words)
    start = (style.start,) if style.start else ()
    end = (style.end,) if style.end else ()
    joiner = style.joiner.text if style.joiner else kind.default_joiner
    return joiner.join((*start, *middle, *end))


# -- phrasings ---------------------------------------------------------------------------------

RULE_FRAMES: Final = ("when you write a {kind}, {clauses}", "for a {kind}, {clauses}")
START_CLAUSES: Final = ("start with {}", "begin with {}")
END_CLAUSES: Final = ("finish with {}", "end with {}")
JOINER_CLAUSES: Final = ("join with {}", "use {}")
REVERSE_CLAUSES: Final = ("reverse the words", "flip the words")
REQUEST_FRAMES: Final = (
    "write a {kind} for {words}",
    "make a {kind} of {words}",
    "give me a {kind} with {words}",
)
CORRECTION_FRAMES: Final = ("no, {rule}", "please, {rule}", "not like that: {rule}")

NOTED: Final = "noted."
"""Fixed answer of the built-in toy model to a correction.

It promises nothing, because Lull does the learning.
"""

SMALL_TALK: Final = {
    "hello": "hello.",
    "hi": "hello.",
    "hey": "hello.",
    "hola": "hello.",
    "good morning": "hello.",
    "good evening": "hello.",
    "how are you?": "fine, thank you.",
    "how is it going?": "fine, thank you.",
    "thanks": "you are welcome.",
    "thank you": "you are welcome.",
    "bye": "goodbye.",
    "goodbye": "goodbye.",
    "ok": NOTED,
    "good": NOTED,
    "help": "try: write a menu for apple river stone",
    "what can you do?": "try: write a menu for apple river stone",
}
"""Small-talk messages and their fixed answers."""


def clauses_of(style: Style) -> tuple[tuple[str, ...], ...]:
    """Return, for each attribute of an answer style (such as its first word), all phrasings by
    which a rule can ask for it.
    """
    said: list[tuple[str, ...]] = []
    if style.start:
        said.append(tuple(frame.format(style.start) for frame in START_CLAUSES))
    if style.end:
        said.append(tuple(frame.format(style.end) for frame in END_CLAUSES))
    if style.joiner:
        said.append(tuple(frame.format(style.joiner) for frame in JOINER_CLAUSES))
    if style.reverse:
        said.append(REVERSE_CLAUSES)
    return tuple(said)


def _enumerated(clauses: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(clauses[:-1]), clauses[-1]) if part)


def rule_phrasings(kind: Kind, style: Style) -> tuple[str, ...]:
    """Return every sentence of the toy language that asks to answer requests of this kind in this
    style, in lower case and without a full stop.
    """
    if not style:
        raise ValueError("a rule states at least one attribute")
    return tuple(
        frame.format(kind=kind, clauses=_enumerated(clauses))
        for frame in RULE_FRAMES
        for order in permutations(clauses_of(style))
        for clauses in product(*order)
    )


def request_phrasings(kind: Kind, words: Sequence[str]) -> tuple[str, ...]:
    """Return every sentence of the toy language that requests this kind of text (such as a menu) of
    these words, in lower case and without a full stop.
    """
    return tuple(frame.format(kind=kind, words=" ".join(words)) for frame in REQUEST_FRAMES)


def correction_phrasings(rule: str) -> tuple[str, ...]:
    """Return every phrasing of a user's correction that states this rule of the toy language, such
    as "no, for a menu, end with sugar".
    """
    return tuple(frame.format(rule=rule) for frame in CORRECTION_FRAMES)


def as_sentence(text: str) -> str:
    """Return the text with a capital first letter and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}."


def block(bodies: Iterable[str]) -> str:
    """Return the prompt text that holds these rules, in the form in which the built-in model saw
    rules in training.
    """
    return f"{BLOCK_OPEN}{BLOCK_GAP.join(bodies)}{BLOCK_CLOSE}"


# -- drawing by chance -------------------------------------------------------------------------


def draw_words(rng: random.Random) -> tuple[str, ...]:
    """Draw two to four different words of the toy language at random, for a request."""
    return tuple(rng.sample(WORDS, rng.randint(MIN_WORDS, MAX_WORDS)))


def draw_style(
    rng: random.Random, values: Sequence[str] = VALUE_WORDS, *, attributes: int | None = None
) -> Style:
    """Draw a random style for answers in the toy language: one to three (or `attributes`) of first
    word, last word, separator and reversed order, with words from `values`.
    """
    count = attributes or rng.choices((1, 2, 3), (0.45, 0.35, 0.20))[0]
    chosen = rng.sample(("start", "end", "joiner", "reverse"), count)
    return Style(
        start=rng.choice(values) if "start" in chosen else None,
        end=rng.choice(values) if "end" in chosen else None,
        joiner=rng.choice(tuple(Joiner)) if "joiner" in chosen else None,
        reverse="reverse" in chosen,
    )


def draw_rule(rng: random.Random, kind: Kind, style: Style) -> str:
    """Draw at random one sentence of the toy language that asks to answer requests of this kind in
    this style, such as "for a menu, end with sugar".
    """
    clauses = [rng.choice(ways) for ways in clauses_of(style)]
    rng.shuffle(clauses)
    return rng.choice(RULE_FRAMES).format(kind=kind, clauses=_enumerated(clauses))


def draw_request(rng: random.Random, kind: Kind, words: Sequence[str]) -> str:
    """Draw at random one sentence of the toy language that requests this kind of text (such as a
    menu) of these words.
    """
    return rng.choice(request_phrasings(kind, words))


def draw_correction(rng: random.Random, rule: str) -> str:
    """Draw at random one phrasing of a user's correction that states this rule of the toy language,
    such as "no, for a menu, end with sugar".
    """
    return rng.choice(correction_phrasings(rule))
