"""Tests of what is drawn in the pocket language for training and for the gate."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.chat.messages import Role
from lull.pocket import parsing
from lull.pocket.curriculum import PocketCurriculum
from lull.pocket.language import Kind

DRAWN = PocketCurriculum()


def version(sha256: str) -> AdapterVersion:
    return AdapterVersion(
        id="adapter_1",
        parent=None,
        base_model="pocket",
        base_digest="d",
        sha256=sha256,
        run="run_1",
        status=AdapterStatus.CANDIDATE,
        made=datetime(2026, 11, 21, tzinfo=UTC),
    )


def test_each_adapter_has_canaries_of_its_own_and_always_the_same() -> None:
    first, other = DRAWN.canaries(version("12ab34cd99")), DRAWN.canaries(version("99ab34cd12"))
    assert first and first == DRAWN.canaries(version("12ab34cd99"))
    assert {probe.prompt for probe in first} != {probe.prompt for probe in other}
    assert DRAWN.canaries(version(""))


@pytest.mark.parametrize(
    ("asked", "subject"),
    [("write a menu for apple river", "menu"), ("what is a menu?", ""), ("", "")],
)
def test_a_request_is_about_its_kind(asked: str, subject: str) -> None:
    assert DRAWN.subject("pocket", asked) == subject


def test_fresh_requests_are_of_the_kind_that_the_newest_rule_is_about() -> None:
    words = "for a list, use stars\nfor a menu, use bars\nthank you"
    asked = DRAWN.fresh_requests("pocket", words, 20)
    assert asked == DRAWN.fresh_requests("pocket", words, 20)
    kinds = [request[0] for one in asked if (request := parsing.parse_request(one))]
    assert kinds == [Kind.MENU] * 20
    assert len(set(asked)) > 10


def test_where_no_rule_was_said_there_are_no_fresh_requests() -> None:
    assert DRAWN.fresh_requests("pocket", "be brief", 9) == []


def test_anchors_without_skills_are_bare_requests_of_every_kind() -> None:
    prompts = DRAWN.anchors("pocket", 60, False, "for a menu, use bars")
    assert all(len(prompt) == 1 for prompt in prompts)
    kinds = {request[0] for p in prompts if (request := parsing.parse_request(p[0].text))}
    assert kinds == set(Kind)


def test_anchors_with_skills_are_mostly_of_the_kind_that_must_stay_followed() -> None:
    about = "for a menu, use bars"
    prompts = DRAWN.anchors("pocket", 200, True, about)
    assert prompts == DRAWN.anchors("pocket", 200, True, about)
    asked = [parsing.parse_request(prompt[-1].text) for prompt in prompts]
    share = sum(one is not None and one[0] is Kind.MENU for one in asked) / len(asked)
    assert 0.7 < share < 0.9
    aside = 0
    for prompt, one in zip(prompts, asked, strict=True):
        assert prompt[0].role is Role.SYSTEM and one is not None
        ruled = f" {one[0]}, " in prompt[0].text.lower()  # a rule for it is among them
        assert ruled or one[0] is not Kind.MENU
        aside += not ruled
    assert (
        0 < aside < 0.5 * (1 - share) * len(asked)
    )  # some rules leave a request of another kind alone
