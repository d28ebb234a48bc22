"""Tests of the starter skills: they keep the format, are short, and are found only when meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.backends.retrieval.skill_index import WordIndex
from lull.config.settings import SkillsSettings
from lull.core.chat.client import Client
from lull.core.chat.context_window import DEFAULT_WINDOW, TokenRate
from lull.core.skills.prompt_block import skills_block
from lull.core.skills.skill import EVERYBODY, Library, Skill, SkillKey, SkillText
from lull.core.skills.skill_ranking import RetrievalRule, ranked
from lull.resources import starter_skills_dir
from lull.store.skills.skill_md import parse, render

FILES = sorted(starter_skills_dir().glob("*/SKILL.md"))
ANYBODY = Client(name="test")
Due = Callable[[str], list[str]]

SMALL_TALK = """
    hi there! | Hello, how are you today? | What's your name? | My name is Anna | tell me a joke
    Thanks a lot, that was really helpful! | I'm bored, let's chat | What's the weather like?
    Nice to meet you | How was your day? | what can you do? | Can you help me? | never mind
    no, the first one | how's it going? anything new? | What time is it? | You're wrong | I'm back
    Guess what happened today | I'm going on holiday next week | Tell me about yourself
    What shall we do next? | just checking in | Stop it | I'm getting married next month
    can I ask you something personal? | please continue | Write a poem about the sea
    Who won the world cup in 2018? | What should I cook for dinner? | how old are you?
    Do you believe in ghosts? | that makes sense, thank you | I feel much better now, thanks
"""

REQUESTS = [
    ("commit-messages", "Write a commit message for these changes"),
    ("bug-reports", "I found a bug, the app crashes when I open a file"),
    ("code-review", "can you review my pull request"),
    ("summaries", "Summarize this article for me"),
    ("summaries", "tl;dr of this thread"),
    ("plain-language", "simplify this paragraph for a layperson"),
    ("minutes-and-actions", "turn this transcript into meeting notes"),
    ("minutes-and-actions", "write the minutes of our meeting"),
    ("email-replies", "Reply to this email from my boss"),
    ("shell-safety", "which command deletes all log files older than 7 days?"),
    ("dates-and-units", "how many miles are 10 km"),
    ("dates-and-units", "convert 3pm UTC to Berlin"),
    ("tables-not-walls", "pros and cons of electric cars"),
    ("citations-honesty", "cite three studies about sleep"),
    ("json-only-output", "return a JSON object with name and age"),
]


def text_of(file: Path) -> SkillText:
    return parse(file.read_bytes(), where=str(file))


@pytest.fixture
async def due() -> Due:
    """A function that returns the starter skills a request would be given, best first."""
    skills = {
        SkillKey(EVERYBODY, text.name): Skill(
            client=EVERYBODY,
            name=text.name,
            version=1,
            sha256=text.name,
            description=text.description,
            body=text.body,
        )
        for text in map(text_of, FILES)
    }
    index = WordIndex()
    await index.follow(Library(1, skills))

    def ask(request: str) -> list[str]:
        words = index.lexical(request, client=ANYBODY)
        found = ranked(lexical=words, exemplars={}, uses={}, rule=RetrievalRule())
        return [key.name for key in found]

    return ask


def test_there_is_a_dozen() -> None:
    assert len(FILES) == 12


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_each_holds_to_the_format_and_is_written_as_lull_writes(file: Path) -> None:
    text = text_of(file)
    assert text.name == file.parent.name
    assert text.description.startswith("When ")
    assert render(text) == file.read_bytes()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_each_body_is_short(file: Path) -> None:
    assert TokenRate().text_tokens(text_of(file).body) <= 150


def test_the_three_longest_fit_together_into_the_smallest_usual_window() -> None:
    settings = SkillsSettings()
    bodies = sorted((text_of(file).body for file in FILES), key=len)[-settings.at_most :]
    budget = min(settings.budget_tokens, int(settings.budget_share * DEFAULT_WINDOW))
    assert TokenRate().text_tokens(skills_block(bodies)) <= budget


def test_small_talk_gets_none(due: Due, subtests: pytest.Subtests) -> None:
    for said in re.split(r"\s*[|\n]\s*", SMALL_TALK.strip()):
        with subtests.test(said=said):
            assert due(said) == []


@pytest.mark.parametrize(("name", "request_"), REQUESTS)
def test_a_request_gets_the_skill_that_is_meant_for_it_first(
    name: str, request_: str, due: Due
) -> None:
    assert due(request_)[0] == name
