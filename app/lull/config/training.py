"""The settings of the slow loop: what trains, how much it takes, and when it gives way."""

from __future__ import annotations

from dataclasses import dataclass

from lull.config.rules import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """Weights that get better while you are away."""

    enabled: bool = setting(
        True,
        "Weights change only behind the gate, and any change can be taken back. Without training "
        "only skills are learned.",
    )
    model: str = setting(
        "auto",
        "The model that learns. auto takes the one that you talk to most and that can learn here, "
        "and pocket, the built-in one, where there is no other. `lull model list` shows which ones "
        "can and what auto means now; `lull model choose` sets this.",
        fits=lambda name: bool(name.strip()),
        form="the name of a model",
    )
    serve: str = setting(
        "auto",
        "Who answers with what was learned: our own engine (on Apple Silicon, and for the built-in "
        "model), or your Ollama, which is given a merged copy of the model.",
        choices=("auto", "engine", "ollama"),
    )
    groups: bool = setting(
        True,
        "Trains on several answers to one request of yours, sampled while you are away and "
        "compared with what you said you wanted (GRPO).",
    )
    single_answers: bool = setting(
        True, "Trains on single recorded answers that were surely good or surely bad (KTO)."
    )
    graduation: bool = setting(
        True,
        "Trains a well proved skill into the weights, so that it need not stand in each prompt. It "
        "comes back into the prompt at once where that does not hold.",
    )
    group_size: int = setting(
        4,
        "Answers to one request. Fewer are often all alike and teach nothing; each costs time.",
        at_least=2,
        at_most=64,
    )
    rollouts_a_prompt: int = setting(
        32,
        "So many groups of one request at most, each under another seed: where few requests are "
        "known, there is still something to compare.",
        at_least=1,
        at_most=64,
    )
    answer_tokens: int = setting(
        512,
        "The longest sampled answer. One that does not end by then counts for nothing.",
        at_least=1,
        at_most=32_768,
    )
    groups_a_run: int = setting(
        32,
        "Groups in which some answers were better than others, before a run begins: fewer teach "
        "the requests by heart.",
        at_least=1,
        at_most=4096,
    )
    groups_at_least: int = setting(
        8,
        "With `lull train now` a run begins with so many.",
        at_least=1,
        at_most=4096,
    )
    labels_a_run: int = setting(
        64,
        "Recorded answers with a sure score, before single answers are trained on.",
        at_least=2,
        at_most=65_536,
    )
    labels_of_the_rarer: int = setting(
        20,
        "Of these at least so many good ones, and so many bad ones: from one kind alone nothing "
        "can be told apart.",
        at_least=1,
        at_most=32_768,
    )
    graduation_prompts: int = setting(
        30,
        "Different requests that a skill must have served before it is trained in.",
        at_least=1,
        at_most=65_536,
    )
    rounds: int = setting(
        24,
        "Rounds of sampling and training before the gate looks: each one may move the weights only "
        "a little from the answers that it was sampled with.",
        at_least=1,
        at_most=1000,
    )
    graduation_epochs: int = setting(
        12,
        "Passes over the requests that a skill has served; each draws its answers anew.",
        at_least=1,
        at_most=1000,
    )
    replay_share: float = setting(
        0.25,
        "Of the answers in a run that are past successes. Half of them have skills in their "
        "prompts: without those a model forgets how to read skills.",
        at_least=0,
        at_most=0.75,
    )
    groups_a_step: int = setting(
        8, "Groups behind one step of the optimiser.", at_least=1, at_most=1024
    )
    answers_a_step: int = setting(
        16, "Single answers behind one step of the optimiser.", at_least=1, at_most=4096
    )
    learning_rate: float = setting(
        0.0,
        "0 lets Lull choose by the model's size: 2e-5 for real models, 2e-3 for the built-in one, "
        "which is a thousand times smaller.",
        at_least=0,
        at_most=0.1,
    )
    rank: int = setting(
        16, "Of the LoRA matrices: room for what a person teaches.", at_least=1, at_most=256
    )
    kl_beta: float = setting(
        0.02, "How firmly the model is held to what it was.", at_least=0, at_most=10
    )
    memory_share: float = setting(
        0.6,
        "Of the machine's working memory that training may take; a run that needs more is refused, "
        "with what would fit.",
        at_least=0.05,
        at_most=0.9,
    )
    suspend_kill_after_s: float = setting(
        300.0,
        "Training that was stopped because you came keeps its memory for so long; then it is ended "
        "and goes on later from its last step.",
        at_least=0,
        at_most=86_400,
    )
    trial_share: float = setting(
        0.1,
        "Of new conversations that a fresh adapter answers while it is on trial; the rest is "
        "answered as before, so that harm is seen early and by few. 0 puts what the gate accepts "
        "in force at once.",
        at_least=0,
        at_most=0.9,
    )
    held_share: float = setting(
        0.05,
        "Of new conversations that what answered before goes on answering when a trial is over, "
        "until the next one begins: only so can a worse adapter be told from harder days. 0 lets "
        "the new one answer all.",
        at_least=0,
        at_most=0.5,
    )
    trial_hours: float = setting(
        24.0,
        "So long a fresh adapter stays on trial. 0 puts what the gate accepts in force at once.",
        at_least=0,
        at_most=8760,
    )
    keep_runs: int = setting(
        20,
        "Folders of finished runs that are kept for a look.",
        at_least=0,
        at_most=10_000,
    )
