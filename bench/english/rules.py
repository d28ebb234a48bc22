"""Draws rules as a user would say them, and changes an answer so that it keeps some.

A rule is a family of the catalogue with a value, in one of the family's wordings, for every answer
or for a kind of request.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.english.families import BY_NAME, FAMILIES, Family, Stage
from bench.english.texts.exam import EXAM_ALL, EXAM_KINDS, EXAM_LEADS, EXAM_SUCH, EXAM_WORDINGS
from bench.english.texts.former import FORMER_ALL, FORMER_CALLED, FORMER_LEADS, FORMER_SUCH
from bench.english.texts.questions import FREE, KINDS
from bench.english.transforms import tidied, told
from lull.core.checks.check import Check
from lull.core.checks.check_answer import passes_check
from lull.core.checks.signs import SIGNS

TRAINED: Final = tuple(family for family in FAMILIES if not family.held)
MEASURED: Final = tuple(family for family in TRAINED if family.name in EXAM_WORDINGS)
"""Trained families that the exam asks for."""
HELD_OUT: Final = tuple(family for family in FAMILIES if family.held)
_ALL: Final = (
    "every answer", "each reply", "all answers", "your answers", "everything you write",
    "your replies", "all replies", *FORMER_ALL,
)  # fmt: skip
_SUCH: Final = ("answers like this", "such answers", "this sort of thing", *FORMER_SUCH)
_LEADS: Final = (
    "", "", "", "", "Please remember: ", "From now on: ", "One thing: ", "New rule: ",
    *FORMER_LEADS,
)  # fmt: skip
_NUMBERS: Final = {
    "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "8": "eight",
    "10": "ten", "12": "twelve", "15": "fifteen", "20": "twenty", "30": "thirty", "50": "fifty",
}  # fmt: skip
_COUNTED: Final = (
    "sentences", "lines", "words", "bullet_count", "paragraphs", "short_sentences",
)  # fmt: skip
_ONE: Final = re.compile(r"\b(one|1) (sentence|line|paragraph)s\b( are)?", re.IGNORECASE)
_QUOTES: Final = ('"{v}"', '"{v}"', "“{v}”", "'{v}'", "«{v}»", "`{v}`")
GENERAL: Final = 1 / 3
"""Share of the trained rules for every request whose words do not say so."""
_NEAR: Final = (
    {"howto", "recipe"}, {"howto", "advice"}, {"advice", "ideas"}, {"travel", "ideas"},
    {"advice", "explain"}, {"howto", "explain"}, {"travel", "advice"}, {"product", "email"},
    {"ideas", "explain"}, {"ideas", "recipe"}, {"travel", "explain"}, {"complaint", "email"},
    {"shopping", "advice"}, {"shopping", "howto"}, {"shopping", "product"}, {"shopping", "ideas"},
    {"shopping", "money"}, {"shopping", "explain"}, {"health", "advice"}, {"health", "howto"},
    {"health", "explain"}, {"history", "explain"}, {"history", "summary"}, {"history", "travel"},
    {"summary", "story"}, {"summary", "explain"}, {"wishes", "poem"}, {"wishes", "email"},
    {"wishes", "ideas"}, {"pets", "advice"}, {"pets", "howto"}, {"pets", "explain"},
    {"pets", "health"}, {"pets", "garden"}, {"pets", "shopping"}, {"garden", "howto"},
    {"garden", "advice"}, {"garden", "explain"}, {"garden", "recipe"}, {"money", "advice"},
    {"money", "explain"}, {"money", "howto"}, {"code", "howto"}, {"code", "explain"},
    {"translate", "travel"}, {"translate", "explain"},
    *({FREE, one} for one in (
        "explain", "advice", "ideas", "howto", "health", "history", "pets", "garden", "money",
        "shopping", "travel", "recipe",
    )),
)  # fmt: skip
"""Kinds that a reasonable person may take for one another; free questions may be of many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    family: str
    value: str
    said: str
    """The rule in the user's words."""
    kind: str = ""
    """The kind of request that it is for; "" for every request."""
    named: bool = True
    """Whether the words name the kind; else only the example beside them tells it."""

    @property
    def check(self) -> Check:
        return BY_NAME[self.family].check(self.value)


def draw(
    chance: random.Random, family: Family, *, held: bool, kind: str = "", named: bool = True
) -> Rule:
    """Draw a rule of a family; `held` takes wordings and values that are kept out of training.

    A family without held-out values gives its own ones. Only a measured one has held-out wordings.
    """
    wording = chance.choice(family.held_wordings) if held else _wording(chance, family, kind)
    values = (family.held_values or family.values) if held else family.values
    value = chance.choice(values) if "{v}" in wording else ""
    lead = chance.choice(EXAM_LEADS if held else _LEADS)
    about = _about(chance, kind, named=named, held=held)
    said = lead + _capital(wording.format(it=about, v=_shown(chance, family, value)))
    said = _ONE.sub(lambda one: f"{one[1]} {one[2]}{' is' if one[3] else ''}", said)
    return Rule(family=family.name, value=value, said=said, kind=kind, named=named)


def several(
    chance: random.Random,
    first: Family,
    count: int,
    *,
    held: bool,
    kind: str = "",
    named: bool = True,
) -> list[Rule]:
    """Draw rules of different trained families that can be kept together, `first` among them."""
    others = [family for family in TRAINED if family is not first]
    while True:
        families = [first, *chance.sample(others, count - 1)]
        if fit(families):
            return [draw(chance, one, held=held, kind=kind, named=named) for one in families]


def fit(families: Sequence[Family]) -> bool:
    """Whether rules of these families can be kept together in one answer."""
    stages = [one.stage for one in families]
    if Stage.WRAP in stages and any(one in stages for one in (Stage.SHAPE, Stage.EDGE)):
        return False
    if any(stages.count(one) > 1 for one in (Stage.LENGTH, Stage.CASE, Stage.SHAPE)):
        return False
    names = {one.name for one in families}
    if "no_lists" in names and Stage.SHAPE in stages:
        return False
    # a sign-off has capitals, and counts as words, a line, a sentence
    tight = {"ends", "starts"} & names and names & {
        "lower_case",
        "upper_case",
        "sentences",
        "lines",
    }
    lists = {"bullets", "starts", "ends"} & names and "lines" in names
    if {"bold_words", "no_bold"} <= names or {"first_letter", "starts"} <= names:
        return False
    return not tight and not lists and len(names & {"sentences", "lines", "bullet_count"}) < 2


def other_kind(chance: random.Random, kind: str, *, held: bool) -> str:
    """Draw a kind of request, of the exam's if `held`, that is clearly another one."""
    near = {other for pair in _NEAR if kind in pair for other in pair}
    kinds = EXAM_KINDS if held else KINDS
    return chance.choice([one for one in kinds if one != kind and one not in near])


def keep(answer: str, rules: Sequence[Rule]) -> str:
    """Return the answer changed so that the catalogue's checks say that it keeps every rule; "" if
    that fails.
    """
    for rule in sorted(rules, key=lambda one: BY_NAME[one.family].stage):
        answer = BY_NAME[rule.family].change(answer, rule.value)
        if not answer.strip():
            return ""
    return answer if kept(answer, rules) else ""


def kept(answer: str, rules: Sequence[Rule]) -> bool:
    """Whether an answer keeps every rule, by the checks; one that cannot tell counts as broken."""
    return all(passes_check(rule.check, answer) is True for rule in rules)


def material(chance: random.Random, answer: str, *, ended: bool) -> str:
    """Return the text of an own answer that is to be changed: some whole sentences, or all of it in
    its own form.
    """
    whole = tidied(answer, ended=ended)
    plain = told(answer)
    if plain and chance.random() < 0.65:
        return " ".join(plain[: chance.choice((1, 2, 2, 3, 3, 4))])
    return whole


def _wording(chance: random.Random, family: Family, kind: str) -> str:
    """Draw a trained wording, with the quotation marks that somebody may set."""
    general = not kind and family.general_wordings and chance.random() < GENERAL
    wording = chance.choice(family.general_wordings if general else family.wordings)
    if family.name == "json":  # its quotation marks are those of JSON
        return wording
    # without marks only at the end, where nothing can be taken for a part of the value
    marks = (*_QUOTES, "{v}") if wording.endswith('"{v}"') else _QUOTES
    return wording.replace('"{v}"', chance.choice(marks))


def _about(chance: random.Random, kind: str, *, named: bool, held: bool) -> str:
    if not kind:
        return chance.choice(EXAM_ALL if held else _ALL)
    if not named:
        return chance.choice(EXAM_SUCH if held else _SUCH)
    called = (*KINDS[kind].called, *FORMER_CALLED.get(kind, ()))
    return chance.choice(EXAM_KINDS[kind]["called"] if held else called)


def _shown(chance: random.Random, family: Family, value: str) -> str:
    if family.name == "no_sign":
        return SIGNS[value][1]
    if family.name in _COUNTED and chance.random() < 0.5:
        return _NUMBERS.get(value, value)
    return value


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
