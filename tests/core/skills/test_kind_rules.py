"""Tests of which skills hold for one kind of request, and which rule they state for it."""

from __future__ import annotations

import pytest

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.kind_rules import RuleWithExample, kind_rule
from lull.core.skills.skill import Skill
from lull.core.skills.stated_skill import skill_of


def skill(body: str, scope: Scope = Scope.KIND) -> Skill:
    return Skill(
        client="", name="one", version=1, sha256="1", description="d", body=body, scope=scope
    )


@pytest.mark.parametrize("kind", [RuleKind.PREFERENCE, RuleKind.FACT, None])
def test_a_rule_in_the_users_words_says_what_was_asked_and_what_was_said(
    kind: RuleKind | None,
) -> None:
    text = skill_of(
        "no bullet points in emails",
        scope=Scope.KIND,
        kind_of_rule=kind,
        asked="Draft an email to my landlord",
    )
    assert kind_rule(skill(text.body)) == RuleWithExample(
        example="Draft an email to my landlord", said="no bullet points in emails"
    )


def test_what_holds_for_every_request_is_of_no_kind() -> None:
    text = skill_of("be brief", scope=Scope.ALL, kind_of_rule=None, asked="Draft an email")
    assert kind_rule(skill(text.body, Scope.ALL)) is None
    kind = skill_of("be brief", scope=Scope.KIND, kind_of_rule=None, asked="Draft an email")
    assert kind_rule(skill(kind.body, Scope.ALL)) is None


def test_a_skill_of_another_form_is_of_no_kind() -> None:
    assert kind_rule(skill("Join dishes with bars and finish with sugar.")) is None
