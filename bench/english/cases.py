"""The cases that the adapter is measured on: held-out requests with rules in held-out words.

A case counts only where the base's own greedy answer, without the rule, breaks it: what it would
have done anyway proves nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.english.families import Family
from bench.english.prompts import PlainMessage, body_of, conversation
from bench.english.rules import HELD_OUT, MEASURED, Rule, draw, fit, other_kind
from bench.english.texts.questions import KINDS, Question
from bench.english.texts.systems import client_text
from lull.core.checks.check_answer import passes_check

CLIENT_TOKENS: Final = 200
"""Tokens of the client's system text in the cases behind one."""
GROUPS: Final = ("one", "two", "behind", "own kind", "other kinds", "held families")
TRIES: Final = 80

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    group: str
    question: Question
    rules: tuple[Rule, ...]
    messages: list[PlainMessage]

    @property
    def name(self) -> str:
        """The families of its rules, for a table."""
        return " + ".join(sorted(rule.family for rule in self.rules))

    def passes(self, answer: str) -> bool:
        """Whether every rule is kept; in "other kinds", whether none is applied."""
        verdicts = [passes_check(rule.check, answer) for rule in self.rules]
        if self.group == "other kinds":
            return all(one is False for one in verdicts)
        return all(one is True for one in verdicts)


def cases(
    group: str,
    count: int,
    base: Mapping[str, str],
    questions: Sequence[Question],
    *,
    seed: int,
    tokens_of: Count,
) -> list[Case]:
    """Draw cases of a group, its families in turn, none twice.

    `base` are the base's greedy answers by question, without any rule. Fewer come back where there
    are not as many.
    """
    chance = random.Random(f"english cases {group} {seed}")
    families = HELD_OUT if group == "held families" else MEASURED
    found: dict[tuple[str, ...], Case] = {}
    for place in range(count * 4):
        if len(found) == count:
            break
        family = families[place % len(families)]
        case = _case(chance, group, family, base, questions, tokens_of)
        if case is not None:
            found.setdefault((case.question.text, *(rule.said for rule in case.rules)), case)
    return list(found.values())


def _case(
    chance: random.Random,
    group: str,
    family: Family,
    base: Mapping[str, str],
    questions: Sequence[Question],
    tokens_of: Count,
) -> Case | None:
    for _ in range(TRIES):
        question = chance.choice(questions)
        kind, named = "", True
        if group in ("own kind", "other kinds"):
            if group == "own kind" and question.kind not in KINDS:
                continue
            kind = question.kind
            if group == "other kinds":
                kind = other_kind(chance, kind, held=True)
            named = chance.random() < 0.7
        rules = [draw(chance, family, held=True, kind=kind, named=named)]
        if group == "two":
            other = chance.choice(MEASURED)
            if other is family or not fit((family, other)):
                continue
            rules.append(draw(chance, other, held=True))
        if any(passes_check(rule.check, base[question.text]) is not False for rule in rules):
            continue
        client = ""
        if group == "behind":
            client = client_text(chance, CLIENT_TOKENS, tokens_of, held=True)
        bodies = [body_of(chance, rule, held=True) for rule in rules]
        messages = conversation([{"role": "user", "content": question.text}], bodies, client=client)
        return Case(group=group, question=question, rules=tuple(rules), messages=messages)
    return None
