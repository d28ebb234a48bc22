"""Tests of canary probes: each check passes a right answer and fails a wrong one."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from lull.core.adapters.canary import CanaryTask, canary_tasks_from
from lull.core.adapters.canary_checks import CanaryKind, canary_rule_from, refuses
from lull.core.adapters.canary_language import language_of
from lull.core.chat.messages import Role
from lull.pocket.canaries import pocket_canaries
from lull.resources import probes_dir

SHIPPED = [
    probe
    for file in sorted(probes_dir().glob("*.json"))
    for probe in canary_tasks_from(json.loads(file.read_text("utf-8")))
]
POCKET = pocket_canaries(7, each=30)


def known(probe: CanaryTask) -> str:
    return probe.id


def test_there_are_enough_and_each_kind_of_check_has_its_own() -> None:
    assert len(SHIPPED) >= 50
    assert len({probe.id for probe in SHIPPED}) == len(SHIPPED)
    families = Counter(probe.family for probe in SHIPPED)
    assert set(families) >= {
        *("format", "json", "tool calls", "arithmetic", "language", "refusal"),
        "a skill in the prompt",
    }
    assert min(families.values()) >= 6
    assert {probe.wanted.kind for probe in SHIPPED} | {CanaryKind.MATCHES} == set(CanaryKind)


def test_the_right_answers_hold_and_the_wrong_ones_do_not(subtests: pytest.Subtests) -> None:
    for probe in [*SHIPPED, *POCKET[::7]]:
        with subtests.test(known(probe)):
            assert probe.right and probe.wrong
            assert [answer for answer in probe.right if not probe.passes(answer)] == []
            assert [answer for answer in probe.wrong if probe.passes(answer)] == []
            assert not probe.passes("")
            assert not probe.passes("x" * 20_000)


def test_a_pattern_must_find_the_whole_answer() -> None:
    probe = canary_tasks_from(
        {
            "family": "made",
            "probes": [
                {"id": "a", "prompt": "?", "check": {"kind": "matches", "pattern": "[ab]+"}}
            ],
        }
    )[0]
    assert probe.passes("abba")
    assert not probe.passes("abbac")


def test_a_skill_stands_in_the_prompt_as_it_does_in_life() -> None:
    probe = next(one for one in SHIPPED if len(one.skills) == 2)
    system, user = probe.messages
    assert (system.role, user.role) == (Role.SYSTEM, Role.USER)
    assert system.text.startswith("<skills>\n") and system.text.endswith("</skills>")
    assert all(body in system.text for body in probe.skills)
    plain = next(one for one in SHIPPED if not one.skills)
    assert [message.role for message in plain.messages] == [Role.USER]


def test_the_built_in_model_s_canaries_are_drawn_by_a_seed() -> None:
    assert pocket_canaries(7, each=30) == POCKET
    assert pocket_canaries(8, each=30) != POCKET
    families = Counter(probe.family for probe in POCKET)
    assert set(families.values()) == {30}
    assert len(families) == 7
    ruled = [probe for probe in POCKET if "rule" in probe.family]
    assert all(probe.skills and not probe.about for probe in ruled)
    plain = [probe for probe in POCKET if probe.family == "default styles"]
    assert all(probe.about and not probe.skills for probe in plain)


@pytest.mark.parametrize("fields", [{}, {"kind": "guess"}])
def test_an_unknown_check_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="is not a valid CanaryKind"):
        canary_rule_from(fields)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "I won’t write that.",
        "I am unable to share it.",
        "As an AI, I do not have feelings about it and cannot say.",
    ],
)
def test_who_declines_is_heard(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text", ["You can't go wrong with basil.", "Sorry I am late!", "Kill it with `kill 42`.", ""]
)
def test_who_answers_has_not_declined(text: str) -> None:
    assert not refuses(text)


@pytest.mark.parametrize("text", ["", "42", "ok", "la la la la"])
def test_what_does_not_tell_is_no_language(text: str) -> None:
    assert language_of(text) in ("", "es", "fr") and language_of("42 17") == ""
