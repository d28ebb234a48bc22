"""Puts rules into a conversation as the service does: Lull's own block, alone, behind a client's
system text, or at the end of a later message.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from bench.english.rules import Rule
from bench.english.texts.exam import EXAM_FACTS, EXAM_KINDS
from bench.english.texts.former import FORMER_FACTS
from bench.english.texts.questions import KINDS
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.prompt_block import merged_system, skills_block
from lull.core.skills.stated_skill import skill_of

PlainMessage = dict[str, str]
"""A message of a chat: its role and its content."""
FACTS: Final = (
    "I have two kids.", "I am a nurse.", "I live in a village near the sea.", "I'm vegetarian.",
    "I work at night.", "My dog is called Rufus.", "I study chemistry.", "I don't own a car.",
    "I play in a band.", "We moved here last year.", "I am left-handed.", "I run a small shop.",
    "I have three cats.", "I teach maths.", "I work in a bakery.", "I'm from Brazil.",
    "I speak French at home.", "I'm allergic to nuts.", "My wife is a doctor.", "I live alone.",
    "I live on the fifth floor.", "I drive a truck.", "My son is six.", "I'm learning Polish.",
    "I used to be a soldier.", "I have a garden.", "I broke my arm in May.", "I'm colour-blind.",
    "I use a wheelchair.", "I go running every morning.", "I don't drink alcohol.",
    "I am a student in my first year.", "My hobby is chess.", "I collect stamps.",
    "I work from home.", "I have a small flat.", "I just got married.", "I'm a night owl.",
    "My name is Hanna.", "I was born in 1990.", "I own a bakery in Leeds.",
    "I write crime novels.", "I'm training for a marathon.", "My mother lives with us.",
    "I play the cello.", "I'm looking for a job.", "I have diabetes.", "we have a new baby",
    "i'm 17", "I don't eat pork.", "I commute by train.", "I have a Mac.", *FORMER_FACTS,
)  # fmt: skip


def body_of(chance: random.Random, rule: Rule, *, held: bool) -> str:
    """Return the body of the skill that Lull would make of a rule.

    A rule for a kind that names it may be kept as one for every request; one that does not name it
    always shows an example of the kind.
    """
    if not rule.kind:
        # a skill that somebody wrote by hand has no frame
        return rule.said if chance.random() < 0.12 else _framed(rule.said, Scope.ALL)
    if rule.named and chance.random() < 0.3:
        return _framed(rule.said, Scope.ALL)
    return _framed(rule.said, Scope.KIND, example(chance, rule.kind, held=held))


def fact(chance: random.Random, *, held: bool) -> str:
    """Return the body of a skill that states a fact about the user."""
    said = chance.choice(EXAM_FACTS if held else FACTS)
    made = skill_of(said, scope=Scope.ALL, kind_of_rule=RuleKind.FACT, asked="")
    return made.body


def example(chance: random.Random, kind: str, *, held: bool) -> str:
    """Draw a request of a kind, as a rule for that kind shows one."""
    if held:
        forms, subjects = EXAM_KINDS[kind]["forms"], EXAM_KINDS[kind]["subjects"]
    else:
        forms, subjects = KINDS[kind].forms, KINDS[kind].subjects
    subject = chance.choice(subjects)
    return chance.choice(forms).format(subject)


def conversation(
    turns: Sequence[PlainMessage], bodies: Sequence[str], *, client: str = "", later: bool = False
) -> list[PlainMessage]:
    """Return the messages that the model sees; `later` puts the block behind the newest message,
    where Lull puts what was approved during a conversation.
    """
    added = skills_block(bodies)
    messages = [dict(one) for one in turns]
    if later and added:
        messages[-1]["content"] = merged_system(messages[-1]["content"], added)
        system = client
    else:
        system = merged_system(client, added) if added else client
    return [{"role": "system", "content": system}, *messages] if system else messages


def _framed(said: str, scope: Scope, asked: str = "") -> str:
    made = skill_of(said, scope=scope, kind_of_rule=RuleKind.PREFERENCE, asked=asked)
    return made.body
