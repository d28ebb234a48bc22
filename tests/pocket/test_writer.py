"""Tests of writing a rule that the user stated as a skill, in the form the built-in model reads."""

from __future__ import annotations

import random

import pytest

from lull.core.chat.messages import Role, text_message
from lull.core.feedback.feedback import MessageFindings, Scope
from lull.core.skills.failures import Failure, FailureSet
from lull.core.skills.ports import EvolverMaterial, SkillDraft
from lull.core.skills.skill import NAME_LIMIT
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.reader import parse_feedback
from lull.pocket.writer import PocketWriter


async def draft(*said: str) -> SkillDraft | None:
    """Return the skill drafted from these messages of the user, newest first."""
    failures = [failure(words, number) for number, words in enumerate(said)]
    found = FailureSet(failures=tuple(failures))
    return await PocketWriter().draft(EvolverMaterial(failures=found, existing=(), rejected=()))


def failure(said: str, number: int = 0, *, words: MessageFindings | None = None) -> Failure:
    return Failure(
        turn=f"turn_{number}",
        trajectory="conv_1",
        client="",
        model="pocket",
        messages=(text_message(Role.USER, "write a menu for apple river"),),
        answer=text_message(Role.ASSISTANT, "apple and river"),
        said=said,
        said_turn="turn_9",
        findings=words or parse_feedback(said),
    )


@pytest.mark.parametrize(
    ("said", "name", "body"),
    [
        ("no, for a menu, use bars", "menu-bars", "When you write a menu, use bars."),
        (
            "Not right. Please always finish with sugar when I ask for menus.",
            "menu-end-with-sugar",
            "When you write a menu, end with sugar.",
        ),
        (
            "For a list, start with golden, join with stars and reverse the words.",
            "list-start-with-golden-join-with-stars-reverse-words",
            "When you write a list, start with golden, join with stars and reverse the words.",
        ),
    ],
)
async def test_a_rule_is_written_in_the_languages_own_frame(
    said: str, name: str, body: str
) -> None:
    made = await draft(said)
    assert made is not None
    assert (made.text.name, made.text.body, made.scope) == (name, body, Scope.KIND)
    assert made.text.description == f"When the user asks for a {name.split('-', maxsplit=1)[0]}."


@pytest.mark.parametrize("seed", range(20))
async def test_it_means_what_was_said_and_fits_the_format(seed: int) -> None:
    rng = random.Random(seed)
    kind, style = rng.choice(list(pocket.Kind)), pocket.draw_style(rng)
    made = await draft(pocket.draw_correction(rng, pocket.draw_rule(rng, kind, style)))
    assert made is not None
    assert parsing.parse_rule(made.text.body) == (kind, style)
    assert len(made.text.name) <= NAME_LIMIT


async def test_a_name_is_not_cut_behind_a_hyphen() -> None:
    made = await draft(
        "For a menu, join with dashes, finish with carrot, begin with spring and flip the words."
    )
    assert made is not None
    assert made.text.name == "menu-join-with-dashes-finish-with-carrot-begin-with-spring-flip"


async def test_of_several_rules_the_newest_is_written() -> None:
    made = await draft("for a menu, use stars", "for a menu, use bars")
    assert made is not None and "stars" in made.text.body
    both = await draft("for a menu, use bars\nfor a menu, use pluses")
    assert both is not None and "pluses" in both.text.body


@pytest.mark.parametrize("said", ["no, wrong", "thanks", ""])
async def test_where_no_rule_of_the_language_was_said_nothing_is_written(said: str) -> None:
    assert await draft(said) is None


async def test_plain_words_are_left_to_who_writes_them_down() -> None:
    words = MessageFindings(
        correction=1.0, lasting=1.0, scope=Scope.ALL, quote=("Always be brief.",)
    )
    found = FailureSet(failures=(failure("Always be brief.", words=words),))
    material = EvolverMaterial(failures=found, existing=(), rejected=())
    assert await PocketWriter().draft(material) is None
