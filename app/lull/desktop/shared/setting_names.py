"""Holds the names under which users see Lull's settings, and the list of those settings that most
people use.

The keys of the settings file are not shown as names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.desktop.language.words import named, tr

CHATS: Final = (
    "service.enabled",
    "records.record",
    "records.keep_days",
    "records.keep_mb",
    "backup.every_days",
)
TIMES: Final = (
    "idle.enabled",
    "idle.after_min",
    "idle.sleep_hours",
    "idle.battery_ok",
    "idle.exclusive_apps",
)
LEARNING: Final = ("training.enabled", "review.auto_approve", "upstream.allow_remote_models")
CONNECTION: Final = ("service.port", "upstream.address")
EVERYDAY: Final = (*CHATS, *TIMES, *LEARNING, *CONNECTION)
"""Keys of the settings that most people use, which are never folded, in the page's order."""

GROUPS: Final[Mapping[str, str]] = {
    "service": "Chat apps",
    "upstream": "Ollama",
    "models": "Built-in model",
    "skills": "Choosing skills for a request",
    "records": "Recording",
    "backup": "Backups",
    "engine": "Running models",
    "secrets": "Passwords and tokens",
    "idle": "Idle times",
    "reader": "Reading your feedback",
    "judge": "Judging answers",
    "writer": "Writing skills",
    "learning": "Suggesting and testing skills",
    "review": "Review",
    "guard": "Watching skills in use",
    "training": "Training",
    "log": "Log",
}
"""English titles of the cards of advanced settings, by the keys' part before the dot."""

NAMES: Final[Mapping[str, str]] = {
    "service.enabled": "Use Lull for my chats",
    "service.port": "Port for chat apps",
    "service.bind": "Network address of Lull",
    "service.allow_network": "Let other devices connect",
    "service.allow_origins": "Web pages that may use Lull",
    "service.max_body_mb": "Largest request",
    "service.idle_timeout_s": "Stop waiting for Ollama after",
    "service.stand_in": "Hand requests to Ollama if Lull crashes",
    "service.finish_within_s": "Time for answers to finish when Lull stops",
    "upstream.address": "Ollama's address",
    "upstream.probe_every_s": "Check Ollama every",
    "upstream.allow_remote_models": "Learn from chats with cloud models",
    "models.list_built_in": "Show the built-in model to chat apps",
    "models.list_pocket": "Show the test model to chat apps",
    "skills.at_most": "Skills per conversation, at most",
    "skills.budget_tokens": "Room for skills",
    "skills.budget_share": "Room for skills in the context window",
    "skills.lexical_floor": "Word match, at least",
    "skills.exemplar_floor": "Likeness to past requests, at least",
    "skills.exemplar_weight": "Weight of past requests",
    "skills.kinds_floor": "Certainty about the kind of request, at least",
    "skills.kinds_weight": "Weight of the kind of request",
    "skills.usage_weight": "Weight of earlier use",
    "skills.facts_within_ms": "Longest wait for details of the model",
    "records.record": "Record my conversations",
    "records.keep_days": "Keep conversations for",
    "records.keep_mb": "Space for conversations",
    "records.trash_mb": "Size of the trash",
    "backup.every_days": "Back up every",
    "backup.keep": "Backups to keep",
    "backup.folder": "Folder for backups",
    "engine.memory_limit_mb": "Memory for models",
    "engine.max_batch": "Answers at the same time, at most",
    "engine.idle_unload_min": "Unload an unused model after",
    "secrets.file_fallback": "Keep them in a file if there is no keychain",
    "idle.source": "How Lull tells whether I'm away",
    "idle.enabled": "Work while I'm away",
    "idle.after_min": "I'm away after",
    "idle.answer_after_min": "Time for me to read an answer",
    "idle.locked_after_min": "With the screen locked, Lull waits at most",
    "idle.sure_after_min": "In my sleep hours, Lull waits at most",
    "idle.sleep_hours": "My sleep hours",
    "idle.allowed_hours": "Work only in these hours",
    "idle.blocked_hours": "Never work in these hours",
    "idle.exclusive_apps": "Wait while these programs run",
    "idle.battery_ok": "Work on battery too",
    "idle.battery_share": "Battery charge, at least",
    "idle.low_power_ok": "Work in low-power mode too",
    "idle.load_share": "Processor use by other programs, at most",
    "idle.memory_share": "Free memory, at least",
    "idle.memory_pressure": "Time that programs wait for memory, at most",
    "reader.model": "Model that reads my messages",
    "reader.timeout_s": "Time for the reader to answer",
    "reader.unload_after_s": "Stop the small reading model after",
    "judge.model": "Model that judges answers",
    "judge.address": "Server of the judge",
    "judge.allow_remote": "Let another computer judge",
    "judge.votes": "Votes on an answer",
    "judge.temperature": "Temperature of the judge",
    "judge.timeout_s": "Time for the judge to answer",
    "writer.model": "Model that writes skills",
    "writer.address": "Server of the writer",
    "writer.allow_remote": "Let another computer write",
    "writer.timeout_s": "Time for the writer to answer",
    "learning.quiet_s": "Wait after my last chat",
    "learning.settle_s": "Wait for my next message",
    "learning.alike": "Failures of one kind before a skill is written",
    "learning.most_active": "Active skills, at most",
    "learning.most_open": "Open suggestions, at most",
    "learning.alpha": "Risk of accepting a useless skill, at most",
    "learning.most_pairs": "Pairs of answers for a proof",
    "learning.slice_s": "Pause a proof after",
    "review.auto_approve": "Approve clear cases without asking",
    "guard.leave_out_share": "Conversations that go without a skill",
    "guard.settle_uses": "Conversations before a skill may be left out",
    "guard.stale_days": "Suggest removing a skill unused for",
    "training.enabled": "Train models",
    "training.model": "Model that is trained",
    "training.serve": "Program that runs the trained model",
    "training.groups": "Learn by comparing answers",
    "training.single_answers": "Learn from single answers",
    "training.graduation": "Train proven skills into the model",
    "training.group_size": "Answers in a group",
    "training.rollouts_a_prompt": "Groups for one request, at most",
    "training.answer_tokens": "Longest answer",
    "training.groups_a_run": "Groups needed before training",
    "training.groups_at_least": "Groups needed when I start training",
    "training.labels_a_run": "Scored answers needed before training",
    "training.labels_of_the_rarer": "Good and bad answers among them, at least",
    "training.graduation_prompts": "Requests before a skill is trained in",
    "training.rounds": "Rounds, at most",
    "training.graduation_epochs": "Passes over a skill's requests",
    "training.replay_share": "Past successes among the answers",
    "training.groups_a_step": "Groups in a step",
    "training.answers_a_step": "Answers in a step",
    "training.learning_rate": "Learning rate",
    "training.rank": "Rank of the LoRA matrices",
    "training.kl_beta": "Weight of the KL penalty",
    "training.memory_share": "Memory for training, at most",
    "training.suspend_kill_after_s": "Keep paused training in memory for",
    "training.trial_share": "Conversations for a model on trial",
    "training.held_share": "Conversations for the previous model",
    "training.trial_hours": "Length of a trial",
    "training.keep_runs": "Finished runs to keep",
    "log.level": "How much is logged",
}
"""The settings' names by their keys; no two are the same, because a notice says only the name."""


def title_of(key: str) -> str:
    """Return a setting's name in the user's language, by its key.

    For a key that this window does not know, the name is the part of the key after the dot, with
    spaces.
    """
    return named(f"setting {key}", NAMES.get(key, key.split(".", 1)[-1].replace("_", " ")))


def group_title(group: str) -> str:
    """Return the title, in the user's language, of the Settings page's card for a group of advanced
    settings (`group` is the part of their keys before the dot).
    """
    return named(f"settings {group}", GROUPS.get(group, group.capitalize()))


def everyday() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the Settings page's cards for the settings that most people use, each as (title, keys
    of its settings).

    These cards are never folded.
    """
    return (
        (tr("My chats"), CHATS),
        (tr("When Lull works"), TIMES),
        (tr("What Lull learns"), LEARNING),
        (tr("Connection"), CONNECTION),
    )


_KEY: Final = re.compile(r"\b(?:[a-z]+\.[a-z_]+|[a-z]+(?:_[a-z]+)+)\b")


def without_keys(reason: str, group: str) -> str:
    """Return the service's explanation of a setting, with the keys of other settings replaced by
    the names that users see.

    `group` is the first part of a key ("idle" in "idle.sleep_hours"); an explanation may leave it
    out.
    """

    def name(found: re.Match[str]) -> str:
        key = found[0] if "." in found[0] else f"{group}.{found[0]}"
        return tr("“%1”", title_of(key)) if key in NAMES else found[0]

    return _KEY.sub(name, reason)
