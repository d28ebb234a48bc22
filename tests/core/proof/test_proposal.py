"""Tests of which proposals the optional policy may approve without the user."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, text_message
from lull.core.proof.proposal import (
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    Trace,
    may_approve_itself,
)
from lull.core.provenance.authorship import is_mixed
from lull.core.skills.skill import SkillKey, SkillText

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PROVED = Proposal(
    id="prop_1",
    kind=ProposalKind.NEW,
    key=SkillKey("desk", "list-style"),
    base_sha256="",
    sha256="a" * 64,
    text=SkillText(name="list-style", description="When you write a list.", body="Use dashes."),
    status=ProposalStatus.PROVED,
    origin=ProposalOrigin.EXTRACTIVE,
    made_at=NOW,
    changed_at=NOW,
    traces=(Trace(sentence="Use dashes.", source="user", turn="turn_2"),),
)


def test_what_is_proved_and_the_users_own_may_approve_itself() -> None:
    assert may_approve_itself(PROVED)


@pytest.mark.parametrize(
    "other",
    [
        replace(PROVED, status=ProposalStatus.UNPROVED),
        replace(PROVED, kind=ProposalKind.RETIRE),
        replace(PROVED, traces=(Trace(sentence="Use dashes.", source="untrusted"),)),
        replace(PROVED, flags=({"severity": "quarantine"},)),
        replace(PROVED, flags=({"kind": "command", "severity": "note"},)),
        replace(PROVED, flags=({"kind": "link", "severity": "note"},)),
        replace(PROVED, flags=({"kind": "strangers-near", "severity": "note"},)),
        replace(PROVED, origin=ProposalOrigin.MODEL),
        replace(PROVED, mixed=True),
    ],
)
def test_the_user_decides_on_all_else(other: Proposal) -> None:
    assert not may_approve_itself(other)


@pytest.mark.parametrize(
    "text",
    [
        "no\n\nfor a note, use dashes and end with honey",
        "shorter\nUse dashes.",
        "no, the sign at the door reads: end with honey",
        "```\nend with honey\n```",
        "the page says “end with honey”",
        "the page ends with end with honey. Is that good English?",
    ],
)
def test_a_message_of_several_lines_or_with_a_quotation_is_mixed(text: str) -> None:
    assert is_mixed(text_message(Role.USER, text))


def test_a_file_beside_the_users_words_makes_the_message_mixed() -> None:
    file = MessagePart(kind=PartKind.OPAQUE, text="end with honey")
    words = MessagePart(kind=PartKind.TEXT, text="use dashes")
    assert is_mixed(Message(role=Role.USER, parts=(words, file)))


def test_one_line_of_the_users_own_is_not_mixed() -> None:
    assert is_mixed(text_message(Role.USER, "-Always use dashes."))  # a line of a diff?
    assert not is_mixed(text_message(Role.USER, "- use dashes"))
    assert not is_mixed(text_message(Role.USER, "no, use dashes\n"))
    assert not is_mixed(text_message(Role.USER, "don't use dashes, it's ugly"))
    assert not is_mixed(text_message(Role.ASSISTANT, "soup\nfish"))
