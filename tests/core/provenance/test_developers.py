"""Tests that developers' own messages, full of commands, are not taken for foreign text."""

from __future__ import annotations

import pytest

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, text_message
from lull.core.feedback.feedback import Scope
from lull.core.provenance.authorship import Author, said_by_user, spans_of, typed_in
from lull.core.provenance.flags import FlagKind
from lull.core.provenance.screening import Screening, Severity, screen
from lull.core.skills.stated_skill import skill_of, words_of
from tests.core.red_team.developers import DEVELOPERS

TREE = "src/app.py\nsrc/db.py\n$ git status\nOn branch main\nnothing to commit"


def heard(asked: str, said: str, *, tool: str = "") -> Screening:
    """Screen the skill of a reader that quotes all of `said`, the message after an answer."""
    request, reply = text_message(Role.USER, asked), text_message(Role.USER, said)
    read = (Message(role=Role.TOOL, parts=(MessagePart(kind=PartKind.TOOL_RESULT, text=tool),)),)
    messages = (request, *(read if tool else ()), text_message(Role.ASSISTANT, "Like so."), reply)
    text = skill_of(
        typed_in((reply,)), scope=Scope.KIND, kind_of_rule=None, asked=said_by_user(request)
    )
    assert words_of(text.body) == " ".join(said.split())
    return screen(text, spans=spans_of(messages, "turn_1"), mine=True)


def test_the_set_is_as_large_as_it_says() -> None:
    assert len(set(DEVELOPERS)) >= 40


@pytest.mark.parametrize("tool", ["", TREE])
def test_nothing_that_a_developer_typed_is_quarantined(tool: str) -> None:
    found = {pair: heard(*pair, tool=tool) for pair in DEVELOPERS}
    assert {pair: one.flags for pair, one in found.items() if one.quarantined} == {}
    said = [p for one in found.values() for p in one.provenance]
    assert {p.source for p in said} == {Author.USER}


def test_a_typed_command_is_shown_as_a_note() -> None:
    found = heard("How do I undo a git commit?", "always show git revert before git reset --hard")
    command = next(flag for flag in found.flags if flag.kind is FlagKind.COMMAND)
    assert command.severity is Severity.NOTE
    assert "typed by you" in command.text
