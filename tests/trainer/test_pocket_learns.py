"""Tests of training the built-in model: answers change as trained, and all others stay the same."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_lm.utils import load_tokenizer

from lull.core.training.events import RunFinished
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    ReplayExample,
    SampledAnswer,
)
from lull.core.training.run_format import ADAPTER
from lull.core.training.spec import GraduationTerms, GrpoTerms, Lora, RunKind, RunSpec
from lull.pocket import language as pocket
from lull.pocket.language import DEFAULT_STYLE, HELD_WORDS, Joiner, Kind, Style
from lull.resources import pocket_dir
from lull.trainer.gradients import ChunkedEvaluator
from lull.trainer.journal import RunJournal
from lull.trainer.policy import PolicyModel, load
from lull.trainer.rows import micro_batches, row
from lull.trainer.run import train
from lull.trainer.sample import sample_answers
from lull.trainer.world import ProcessRing
from tests.trainer.making import run_folder

pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.timeout(3600)]
END = 2
Ids = tuple[int, ...]
Batch = list[Example]


@dataclass(frozen=True)
class Case:
    prompt: Ids
    wanted: str


class Talk:
    """The pocket language as token ids, with a measure of how well a policy speaks it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self._tokenizer = load_tokenizer(pocket_dir())

    def prompt(self, request: str, rules: Sequence[str] = ()) -> Ids:
        said = [{"role": "system", "content": pocket.block(rules)}] if rules else []
        said.append({"role": "user", "content": request})
        text = self._tokenizer.apply_chat_template(said, add_generation_prompt=True, tokenize=False)
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def answer(self, text: str) -> Ids:
        return (*self._tokenizer.encode(text, add_special_tokens=False), END)

    def text(self, ids: Ids) -> str:
        return str(self._tokenizer.decode([token for token in ids if token != END])).strip()

    def plain(self, kinds: Sequence[Kind], style: Style = DEFAULT_STYLE) -> Case:
        kind, words = self.rng.choice(kinds), pocket.draw_words(self.rng)
        request = pocket.draw_request(self.rng, kind, words)
        return Case(self.prompt(request), pocket.render(kind, words, style))

    def ruled(self, style: Style | None = None, kind: Kind | None = None) -> Case:
        kind, words = kind or self.rng.choice(list(Kind)), pocket.draw_words(self.rng)
        style = style or pocket.draw_style(self.rng)
        request = pocket.draw_request(self.rng, kind, words)
        rule = pocket.draw_rule(self.rng, kind, style)
        return Case(self.prompt(request, [rule]), pocket.render(kind, words, style))

    def replays(self, count: int, *, changed: Kind) -> list[Example]:
        """Return past successes to replay, half of them with a skill in the prompt."""
        others = [kind for kind in Kind if kind is not changed]
        cases = [self.ruled() if n % 2 else self.plain(others) for n in range(count)]
        return [
            ReplayExample(id=f"r{n}", prompt_ids=case.prompt, ids=self.answer(case.wanted))
            for n, case in enumerate(cases)
        ]

    def share(self, policy: PolicyModel, cases: Sequence[Case]) -> float:
        """Return the share of cases answered exactly right when sampled almost greedily."""
        prompts = [case.prompt for case in cases]
        said = sample_answers(
            policy, prompts, seeds=[0] * len(cases), most_tokens=16, temperature=1e-4
        )
        right = [self.text(ids) == case.wanted for ids, case in zip(said, cases, strict=True)]
        return sum(right) / len(cases)


def policy_of(adapter: Path | None) -> PolicyModel:
    lora = Lora(rank=8)
    return load(pocket_dir(), parent=adapter, lora=lora, seed=0, checkpoint_layers=None)


def trained(folder: Path) -> Path:
    assert isinstance(
        train(folder, ProcessRing(), RunJournal(folder, out=io.StringIO())), RunFinished
    )
    return folder / ADAPTER


def test_a_skill_that_graduated_is_kept_without_its_words_and_others_are_followed(
    tmp_path: Path,
) -> None:
    talk, kind, style = Talk(1), Kind.MENU, Style(joiner=Joiner.BARS, end="maple")
    batch: list[Example] = []
    for number in range(32):
        words = pocket.draw_words(talk.rng)
        request = pocket.draw_request(talk.rng, kind, words)
        rule = pocket.draw_rule(talk.rng, kind, style)
        batch.append(
            GraduationExample(
                id=f"g{number}",
                prompt_ids=talk.prompt(request),
                teacher_ids=talk.prompt(request, [rule]),
            )
        )
    asked = RunSpec(
        id="graduation",
        kind=RunKind.GRADUATION,
        model=str(pocket_dir()),
        lora=Lora(rank=8),
        learning_rate=4e-3,
        steps=60,
        examples_a_step=16,
        micro_tokens=4096,
        replay_share=0.4,
        terms=GraduationTerms(sample_tokens=16),
    )
    examples = [*batch, *talk.replays(128, changed=kind)]
    without = [talk.plain([kind], style) for _ in range(80)]
    others = [talk.plain([k for k in Kind if k is not kind]) for _ in range(80)]
    ruled = [talk.ruled(pocket.draw_style(talk.rng, HELD_WORDS)) for _ in range(80)]
    base = policy_of(None)
    assert talk.share(base, without) == 0.0
    after = policy_of(trained(run_folder(tmp_path / "run", asked, examples)))
    with_skill = talk.share(base, [talk.ruled(style, kind) for _ in range(80)])
    assert talk.share(after, without) >= 0.9 * with_skill > 0.8
    assert talk.share(after, others) >= 0.9
    assert talk.share(after, ruled) >= 0.85


def taught(talk: Talk, base: PolicyModel, asked: Sequence[Ids], teachers: Sequence[Ids]) -> Batch:
    """Return examples with the base's answers to the teacher's prompts, sampled almost greedily."""
    said = sample_answers(base, teachers, seeds=[0] * len(asked), most_tokens=16, temperature=1e-4)
    return [
        GraduationExample(id=f"g{number}", prompt_ids=prompt, teacher_ids=teacher, sample_ids=ids)
        for number, (prompt, teacher, ids) in enumerate(zip(asked, teachers, said, strict=True))
    ]


def test_a_skill_that_the_base_never_shows_is_learned_from_the_teachers_answers(
    tmp_path: Path,
) -> None:
    talk, kind = Talk(3), Kind.PLAN
    style = Style(start=HELD_WORDS[5], end=HELD_WORDS[6])
    elsewhere = [one for one in Kind if one is not kind]
    own, teachers = list[Ids](), list[Ids]()
    for _ in range(160):
        request = pocket.draw_request(talk.rng, kind, pocket.draw_words(talk.rng))
        own.append(talk.prompt(request))
        teachers.append(talk.prompt(request, [pocket.draw_rule(talk.rng, kind, style)]))
    anchors = [talk.plain(elsewhere).prompt for _ in range(80)]
    anchors += [talk.ruled(kind=kind if n % 4 else None).prompt for n in range(80)]
    base = policy_of(None)
    batch = taught(talk, base, [*own, *anchors], [*teachers, *anchors])
    asked = RunSpec(
        id="taught",
        kind=RunKind.GRADUATION,
        model=str(pocket_dir()),
        learning_rate=4e-3,
        last_rate_share=0.05,
        epochs=6,
        examples_a_step=16,
        micro_tokens=4096,
        terms=GraduationTerms(sample_tokens=16),
    )
    folder = run_folder(tmp_path / "run", asked, [*batch, *talk.replays(64, changed=kind)])
    without = [talk.plain([kind], style) for _ in range(60)]
    others = [talk.plain(elsewhere) for _ in range(60)]
    ruled = [talk.ruled(pocket.draw_style(talk.rng, HELD_WORDS)) for _ in range(60)]
    before = [talk.share(base, cases) for cases in (without, others, ruled)]
    after = policy_of(trained(folder))
    shares = [talk.share(after, cases) for cases in (without, others, ruled)]
    assert before[0] == 0.0
    assert shares[0] >= 0.9
    assert shares[1] >= before[1] - 0.05, (before, shares)
    assert shares[2] >= before[2] - 0.1, (before, shares)


def groups(talk: Talk, policy: PolicyModel, kind: Kind, style: Style, seed: int) -> list[Example]:
    cases = [talk.plain([kind], style) for _ in range(48)]
    prompts = [case.prompt for case in cases for _ in range(4)]
    seeds = [seed * 1000 + number for number in range(len(prompts))]
    said = sample_answers(policy, prompts, seeds=seeds, most_tokens=16, temperature=1.0)
    rows = [row(prompt, ids) for prompt, ids in zip(prompts, said, strict=True)]
    logps = dict[int, tuple[float, ...]]()
    for micro in micro_batches(rows, 4096):
        all_of, first = ChunkedEvaluator(policy=policy, chunk=256).logps(micro).tolist(), 0
        for index in micro.indices:
            last = first + len(rows[index].places)
            logps[index], first = tuple(all_of[first:last]), last
    made = []
    for number, case in enumerate(cases):
        samples = tuple(
            SampledAnswer(
                ids=said[place],
                logprobs=logps[place],
                reward=1.0 if talk.text(said[place]) == case.wanted else -1.0,
            )
            for place in range(4 * number, 4 * number + 4)
        )
        made.append(Group(id=f"p{number}", prompt_ids=case.prompt, samples=samples))
    return list(made)


def test_rounds_of_groups_teach_a_habit_that_was_hardly_ever_shown(tmp_path: Path) -> None:
    talk, kind, style = Talk(2), Kind.MENU, Style(end="sugar")
    replays, adapter = talk.replays(96, changed=kind), None
    for number in range(6):
        asked = RunSpec(
            id=f"round-{number}",
            kind=RunKind.GRPO,
            model=str(pocket_dir()),
            parent=str(adapter) if adapter else None,
            seed=number,
            lora=Lora(rank=8),
            learning_rate=4e-3,
            epochs=6,
            examples_a_step=16,
            micro_tokens=4096,
            terms=GrpoTerms(),
        )
        batch = groups(talk, policy_of(adapter), kind, style, number + 1)
        folder = run_folder(tmp_path / asked.id, asked, [*batch, *replays])
        adapter = trained(folder)
    habit = [talk.plain([kind], style) for _ in range(80)]
    others = [talk.plain([k for k in Kind if k is not kind]) for _ in range(80)]
    ruled = [talk.ruled(pocket.draw_style(talk.rng, HELD_WORDS)) for _ in range(80)]
    after = policy_of(adapter)
    assert talk.share(policy_of(None), habit) <= 0.05
    assert talk.share(after, habit) >= 0.8
    assert talk.share(after, others) >= 0.9
    assert talk.share(after, ruled) >= 0.9
    mx.clear_cache()
