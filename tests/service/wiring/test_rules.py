"""Tests that each setting of a rule is handed on under its own name, none in another's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from lull.config.settings import Settings
from lull.service.wiring.base.own_models import engine_options
from lull.service.wiring.learning.rules import evolve_rule, holdout_rule, prove_rule, score_rule
from lull.service.wiring.night.adapters import promote_rule
from lull.service.wiring.night.training import rollout_rule, run_rule, train_rule

MADE: list[tuple[str, Callable[[Settings], object]]] = [
    ("training", run_rule),
    ("training", train_rule),
    ("training", rollout_rule),
    ("training", promote_rule),
    ("learning", score_rule),
    ("learning", evolve_rule),
    ("learning", prove_rule),
    ("guard", holdout_rule),
]
OTHER_NAMES = {"rollouts_a_prompt": "most_a_prompt", "leave_out_share": "share"}
"""Settings that a rule calls otherwise."""


@pytest.mark.parametrize(("group", "rule"), MADE)
def test_a_setting_is_handed_on_under_its_name(
    group: str, rule: Callable[[Settings], object]
) -> None:
    settings = Settings()
    before = getattr(settings, group)
    handed = 0
    for number, field in enumerate(fields(before), 1):
        name = OTHER_NAMES.get(field.name, field.name)
        value = getattr(before, field.name)
        if not hasattr(rule(settings), name) or not isinstance(value, bool | int | float):
            continue
        other = not value if isinstance(value, bool) else value + number
        changed = rule(replace(settings, **{group: replace(before, **{field.name: other})}))
        assert getattr(changed, name) == other
        kept = {one: getattr(changed, one) for one in names_of(changed) if one != name}
        was = {one: getattr(rule(settings), one) for one in kept}
        assert kept == was, f"{field.name} changes another part of the rule"
        handed += 1
    assert handed, "the rule is made of no setting of its group"


def names_of(rule: object) -> list[str]:
    return [one.name for one in fields(rule)]  # type: ignore[arg-type]


def test_proofs_are_as_long_and_as_sure_as_the_settings_say() -> None:
    settings = Settings()
    learning = replace(settings.learning, most_pairs=40, alpha=0.01)
    proof = prove_rule(replace(settings, learning=learning)).proof
    assert (proof.first_pairs, proof.alpha) == (40, 0.01)


def test_the_engine_answers_as_many_at_once_and_in_as_much_memory_as_the_settings_say() -> None:
    settings = Settings()
    engine = replace(settings.engine, max_batch=3, memory_limit_mb=700)
    options = engine_options(replace(settings, engine=engine))
    assert (options.at_once, options.limits.memory_mb) == (3, 700)
    assert engine_options(settings).limits.memory_mb is None  # 0 means no limit


def test_answers_are_sampled_in_groups_that_fit_into_the_engine() -> None:
    settings = Settings()
    engine = replace(settings.engine, max_batch=9)
    training = replace(settings.training, group_size=4)
    assert rollout_rule(replace(settings, engine=engine, training=training)).groups_at_once == 2
    small = replace(settings.engine, max_batch=1)
    assert rollout_rule(replace(settings, engine=small, training=training)).groups_at_once == 1


def test_a_trial_lasts_as_many_hours_as_the_settings_say() -> None:
    settings = Settings()
    training = replace(settings.training, trial_hours=2.0)
    assert promote_rule(replace(settings, training=training)).trial_s == 7200.0
