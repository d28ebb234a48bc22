"""Tests of which settings are in force, and which model `auto` stands for."""

from __future__ import annotations

from dataclasses import replace

from lull.config.settings import Settings
from lull.service.models.in_force import SettingsInForce


def of_model(name: str) -> Settings:
    default = Settings()
    return replace(default, training=replace(default.training, model=name))


def test_auto_stands_for_the_model_that_lull_chose() -> None:
    chosen = ["pocket"]
    in_force = SettingsInForce(of_model("auto"), learner=lambda: chosen[-1])
    assert in_force.auto
    assert in_force().training.model == "pocket"
    chosen.append("qwen3:4b")
    assert in_force().training.model == "qwen3:4b"


def test_a_model_named_by_the_user_is_not_replaced() -> None:
    in_force = SettingsInForce(of_model("llama3.2:3b"), learner=lambda: "pocket")
    assert not in_force.auto
    assert in_force() is in_force.settings


def test_changed_settings_hold_at_the_next_call() -> None:
    in_force = SettingsInForce(of_model("auto"), learner=lambda: "pocket")
    before = in_force()
    assert in_force() is before, "unchanged settings are not built anew at each request"
    in_force.settings = replace(of_model("auto"), review=replace(before.review, auto_approve=True))
    assert in_force().review.auto_approve
    assert in_force().training.model == "pocket"
