"""Settings for training a model's weights: what is trained, what resources it may use, and how a
new LoRA adapter is tried out on conversations.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.config.rules import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """Settings for training LoRA adapters of the model while the user is away."""

    enabled: bool = setting(
        True,
        "Whether Lull trains models. A trained model is used only if it passes a test against "
        "the one in use, and every change can be undone. Without training, Lull only learns "
        "skills.",
    )
    model: str = setting(
        "auto",
        "The model that learns. auto takes the model that you talk to most and that can learn "
        "here, or the built-in model, lull-mini, if there is no other. `lull model list` shows "
        "which models can learn and what auto means now; `lull model choose` changes this "
        "setting.",
        fits=lambda name: bool(name.strip()),
        form="the name of a model",
    )
    serve: str = setting(
        "auto",
        "Which program answers with the trained model: Lull's own engine (on Apple Silicon, and "
        "for the built-in model), or your Ollama, which gets a merged copy of the model.",
        choices=("auto", "engine", "ollama"),
    )
    groups: bool = setting(
        True,
        "Trains on groups of answers to one of your requests. Lull generates them while you are "
        "away and compares them with what you said you wanted (GRPO).",
    )
    single_answers: bool = setting(
        True, "Trains on single recorded answers that were certainly good or certainly bad (KTO)."
    )
    graduation: bool = setting(
        True,
        "Trains a well-proven skill into the model itself, so that it is no longer needed in "
        "each prompt. If the trained model does not follow the skill, the skill returns to the "
        "prompt at once.",
    )
    group_size: int = setting(
        4,
        "How many answers to a request are generated for a group. With few, they are often all "
        "alike and teach nothing; each answer costs time.",
        at_least=2,
        at_most=64,
    )
    rollouts_a_prompt: int = setting(
        32,
        "How many groups of answers are generated for one request, at most; chance makes each "
        "group different. With many, there is something to compare even if there are few "
        "requests.",
        at_least=1,
        at_most=64,
    )
    answer_tokens: int = setting(
        512,
        "The longest answer that is generated for training. An answer that is not finished by "
        "then is not used.",
        at_least=1,
        at_most=32_768,
    )
    groups_a_run: int = setting(
        32,
        "How many groups in which some answers were better than others are needed before "
        "training begins. With fewer, the model would learn the requests by heart.",
        at_least=1,
        at_most=4096,
    )
    groups_at_least: int = setting(
        8,
        "How many groups are enough when you start training yourself (with the button or `lull "
        "train now`).",
        at_least=1,
        at_most=4096,
    )
    labels_a_run: int = setting(
        64,
        "How many recorded answers whose score is certain are needed before training on single "
        "answers begins.",
        at_least=2,
        at_most=65_536,
    )
    labels_of_the_rarer: int = setting(
        20,
        "How many good answers, and how many bad ones, must be among these. A model cannot "
        "learn the difference from one kind alone.",
        at_least=1,
        at_most=32_768,
    )
    graduation_prompts: int = setting(
        30,
        "How many different requests a skill must have served before it is trained into the "
        "weights.",
        at_least=1,
        at_most=65_536,
    )
    rounds: int = setting(
        24,
        "How many rounds of generating answers and training there are, at most, before the "
        "result is tested. In each round the model may change only a little.",
        at_least=1,
        at_most=1000,
    )
    graduation_epochs: int = setting(
        6,
        "How often training goes through the requests that a skill has served, and others like "
        "them.",
        at_least=1,
        at_most=1000,
    )
    replay_share: float = setting(
        0.25,
        "The share of the answers in training that are past successes. Half of them have skills "
        "in their prompts, because otherwise a model forgets how to read skills.",
        at_least=0,
        at_most=0.75,
    )
    groups_a_step: int = setting(
        8, "How many groups of answers one training step uses.", at_least=1, at_most=1024
    )
    answers_a_step: int = setting(
        16, "How many single answers one training step uses.", at_least=1, at_most=4096
    )
    learning_rate: float = setting(
        0.0,
        "How much each training step changes the model (the learning rate). With 0, Lull "
        "chooses it by the model's size: 2e-5 for real models, 2e-3 for the built-in one, which "
        "is a thousand times smaller.",
        at_least=0,
        at_most=0.1,
    )
    rank: int = setting(
        16,
        "How much a trained adapter can hold (the rank of its LoRA matrices). More takes more "
        "memory; the default has room for what one person teaches.",
        at_least=1,
        at_most=256,
    )
    kl_beta: float = setting(
        0.02,
        "The weight of the KL penalty: how firmly training holds the model to what it was before.",
        at_least=0,
        at_most=10,
    )
    memory_share: float = setting(
        0.6,
        "The share of the machine's memory that training may use. Training that needs more is "
        "refused, with a hint at what would fit.",
        at_least=0.05,
        at_most=0.9,
    )
    suspend_kill_after_s: float = setting(
        300.0,
        "How many seconds training that was paused because you came back keeps its memory. "
        "After that it is stopped, and continues later from its last step.",
        at_least=0,
        at_most=86_400,
    )
    trial_share: float = setting(
        0.1,
        "The share of new conversations that a new adapter (a trained addition to the model) "
        "answers while it is on trial. The rest are answered as before, so that harm is noticed "
        "early and in few conversations. With 0 there is no trial: an adapter that passes its "
        "test is used at once.",
        at_least=0,
        at_most=0.9,
    )
    held_share: float = setting(
        0.05,
        "The share of new conversations that the previous model still answers after a trial, "
        "until the next trial begins. Only this comparison shows whether the new adapter is "
        "worse or the requests have become harder. With 0, the new one answers all.",
        at_least=0,
        at_most=0.5,
    )
    trial_hours: float = setting(
        24.0,
        "How many hours a new adapter stays on trial. With 0 there is no trial: an adapter that "
        "passes its test is used at once.",
        at_least=0,
        at_most=8760,
    )
    keep_runs: int = setting(
        20,
        "How many folders of finished training runs are kept so that you can look at them.",
        at_least=0,
        at_most=10_000,
    )
