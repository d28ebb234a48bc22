"""Tests of training the pocket model: it can stop anywhere, and never sees held-out values."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.pocket import habits, parsing
from lull.pocket import language as pocket
from lull.pocket.language import Kind

pytest.importorskip("mlx_lm")

from bench.pocket import data, network, tokenizer
from bench.pocket.cases import case_lines, probe
from bench.pocket.talk import client_sentence
from bench.pocket.train import Recipe, Run

pytestmark = pytest.mark.slow

SMALL = Recipe(steps=20, finish_steps=4, settle_steps=2, width=32, hidden=32, layers=2, heads=2)


@pytest.fixture(params=["plain", pytest.param("compiled", marks=pytest.mark.full)])
def _arithmetic(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run a test with MLX's plain arithmetic, and (marked `full`) with compiled kernels.

    Compiling them takes half a minute once on each machine, for steps of a moment.
    """
    import mlx.core as mx

    if request.param == "plain":
        mx.disable_compile()
    yield
    mx.enable_compile()


def test_every_word_of_the_language_is_one_token() -> None:
    words = tokenizer.build(0)
    for word in (*pocket.WORDS, *Kind, *pocket.Joiner):
        assert len(words.encode(word).ids) == 1
        assert len(words.encode(f" {word}").ids) == 1
    for fixed in (pocket.BLOCK_OPEN, pocket.BLOCK_CLOSE, pocket.BLOCK_GAP):
        assert len(words.encode(fixed).ids) == 1


def test_any_text_survives_the_tokenizer() -> None:
    words = tokenizer.build(0)
    for text in ("Grüße, 世界 🦊\n\n\n\tok", pocket.block(["a", "b"]), " apple  river "):
        assert words.decode(words.encode(text).ids) == text


def test_training_computes_what_is_served(tmp_path: Path) -> None:
    import mlx.core as mx

    run = Run(SMALL, tmp_path)
    lesson = data.Lesson(mix=(0.0, 0.0, 1.0), plain=False, habits=True)
    batch = data.draw_batch(random.Random(1), run.encode, lesson)
    logits, _, _ = network.Branching(run.model, run.config).answer_logits(
        mx.array(batch.prefix_PL),
        mx.array(batch.prefix_lengths_P),
        mx.array(batch.branch_PAB),
        mx.array(batch.pads_PA),
        data.ANSWER_TOKENS,
    )
    for at in ((0, 0), (1, 5), (3, 11)):
        prefix = batch.prefix_PL[at[0], : batch.prefix_lengths_P[at[0]]].tolist()
        branch = batch.branch_PAB[at][batch.pads_PA[at] :].tolist()
        served = run.model(mx.array([prefix + branch]))[0, -data.ANSWER_TOKENS :]
        assert mx.abs(served - logits[at]).max().item() < 0.02


def test_hints_name_the_kind_of_each_rule_from_its_name_on(tmp_path: Path) -> None:
    run = Run(SMALL, tmp_path)
    text = "Plan a menu.\n\n" + pocket.block(["for a menu, use bars", "For a plan, use stars."])
    named = data.rule_kinds(run.encode(text), run.encode)
    menu, plan = list(Kind).index(Kind.MENU), list(Kind).index(Kind.PLAN)
    said = [data.NO_KIND] * (named.index(menu)) + [menu] * 4
    said += [data.NO_KIND] * 3 + [plan] * 5 + [data.NO_KIND]
    assert named == said


@pytest.mark.usefixtures("_arithmetic")
def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    run = Run(SMALL, tmp_path)
    run.learn()
    run.save()
    unbroken = [run.learn(), run.learn()]
    again = Run(SMALL, tmp_path)
    assert again.resume()
    assert [again.learn(), again.learn()] == unbroken
    assert again.progress.step == run.progress.step


@pytest.mark.full
def test_a_checkpoint_of_another_recipe_is_refused(tmp_path: Path) -> None:
    Run(SMALL, tmp_path).save()
    other = Recipe(steps=21, width=32, hidden=32, layers=2, heads=2)
    with pytest.raises(ValueError, match="another recipe"):
        Run(other, tmp_path).resume()


def test_training_never_shows_a_held_out_word_as_a_value() -> None:
    rng = random.Random(2)
    for _ in range(300):
        for style in data.draw_rules(rng, 3).values():
            assert {style.start, style.end}.isdisjoint(pocket.HELD_WORDS)
        assert data.habit(rng, 3, finishing=False) in (*habits.HABITS, pocket.DEFAULT_STYLE)


def test_a_clients_sentence_is_never_a_rule() -> None:
    rng = random.Random(3)
    assert not any(parsing.parse_rule(client_sentence(rng)) for _ in range(500))


def test_cases_state_their_rule_and_its_right_answers() -> None:
    for line in case_lines(50, 4):
        case = json.loads(line)
        kind, style = parsing.parse_rule(case["rule"]) or pytest.fail(case["rule"])
        assert kind == case["kind"]
        assert parsing.parse_rule(case["correction"]) == (kind, style)
        assert {style.start, style.end} & set(pocket.HELD_WORDS)
        assert parsing.check(case["correction"], case["request"], case["wanted"])
        assert not parsing.check(case["correction"], case["request"], case["default"])
        assert len(case["more"]) == len(case["more_wanted"]) == 5
        for request, wanted in zip(case["more"], case["more_wanted"], strict=True):
            assert parsing.check(case["rule"], request, wanted)


def test_the_same_seed_gives_the_same_cases() -> None:
    assert list(case_lines(5, 1)) == list(case_lines(5, 1)) != list(case_lines(5, 2))


def test_a_probe_has_the_rules_it_says() -> None:
    rng = random.Random(5)
    for rules, ruled in ((1, True), (3, True), (2, False)):
        drawn = probe(rng, rules=rules, ruled=ruled)
        read = [parsing.parse_rule(line) for line in drawn.system.splitlines()]
        kinds = [rule[0] for rule in read if rule]
        assert len(kinds) == rules
        assert (drawn.kind in kinds) is ruled
