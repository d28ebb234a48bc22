"""The settings of the fast loop: who is asked, when Lull works for itself, what a proof needs."""

from __future__ import annotations

from dataclasses import dataclass

from lull.config import addresses
from lull.config.rules import setting
from lull.core.rules import EvolveRule, GuardRule, ProveRule, ScoreRule

_SCORE = ScoreRule()
_EVOLVE = EvolveRule()
_PROOF = ProveRule().proof
_GUARD = GuardRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The model that is asked whether an answer was good, where nothing else tells."""

    model: str = setting(
        "auto",
        "auto asks the largest model of your Ollama that passed its exam, which Lull holds while "
        "you are away; `lull model exams` shows it. A name asks that model, passed or not. Empty "
        "or none asks nobody: then only tools, checks, your ratings and your own words count.",
    )
    address: str = setting(
        "",
        "Empty means your Ollama; else the base address of any server that speaks OpenAI's "
        "protocol, such as http://127.0.0.1:1234/v1.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:1234/v1"',
    )
    allow_remote: bool = setting(
        False,
        "Says in so many words that conversations may be sent to another machine to be judged.",
    )
    votes: int = setting(
        3, "Asked so often about one answer; the majority holds.", at_least=2, at_most=9
    )
    temperature: float = setting(
        0.6, "Votes that are all alike would be one vote.", at_least=0, at_most=2
    )
    timeout_s: float = setting(
        120.0, "A model may have to be loaded first.", at_least=1, at_most=3600
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSettings:
    """The model that writes skills from failures that no word of yours explains."""

    model: str = setting(
        "auto",
        "As judge.model. It is asked seldom and has time; without one skills come from your own "
        "worded corrections alone.",
    )
    address: str = setting(
        "",
        "As judge.address.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:1234/v1"',
    )
    allow_remote: bool = setting(
        False, "Says in so many words that failed turns may be sent to another machine."
    )
    timeout_s: float = setting(
        300.0, "A long answer of a large model takes minutes.", at_least=1, at_most=3600
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """The model that reads what you say to answers, in place of Lull's own small reader."""

    model: str = setting(
        "auto",
        "As judge.model; auto takes a model only where it surely reads better than Lull's own "
        "small reader. It always runs on this machine.",
    )
    timeout_s: float = setting(
        120.0, "A model may have to be loaded first.", at_least=1, at_most=3600
    )
    unload_after_s: float = setting(
        120.0,
        "Unused for so long, the small reader's process ends and gives its half gigabyte back; it "
        "is there again in some five seconds. Messages of one talk come minutes apart. 0 keeps it.",
        at_least=0,
        at_most=86_400,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """The fast loop: when Lull works for itself, and what a proof needs."""

    quiet_s: float = setting(
        20.0,
        "So long after your last chat Lull may ask models itself; a chat that comes meanwhile "
        "stops it at once.",
        at_least=0,
        at_most=86400,
    )
    settle_s: float = setting(
        _SCORE.settle_s,
        "So long without a next message, and an answer is judged without one.",
        at_least=1,
        at_most=604800,
    )
    alike: int = setting(
        _EVOLVE.alike,
        "Silent failures that must look alike before a skill is written; one may be chance. A "
        "correction in your own words is enough alone.",
        at_least=2,
        at_most=100,
    )
    most_active: int = setting(
        _EVOLVE.most_active,
        "Skills in force before no further one is proposed: more blur each other.",
        at_least=1,
        at_most=10_000,
    )
    most_open: int = setting(
        _EVOLVE.most_open,
        "Proposals that wait for you; nobody reads more.",
        at_least=1,
        at_most=100,
    )
    alpha: float = setting(
        _PROOF.alpha,
        "Of useless skills at most this share is ever called proved.",
        at_least=0.0001,
        at_most=0.5,
    )
    most_pairs: int = setting(
        _PROOF.most_pairs,
        "Replays with and without the skill; what they do not show by then stays unproved.",
        at_least=13,
        at_most=1000,
    )
    slice_s: float = setting(
        30.0, "A proof pauses so often, and other work gets its turn.", at_least=1, at_most=600
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    auto_approve: bool = setting(
        False,
        "Approves by itself what is proved and says only what you typed in one plain sentence, in "
        "a conversation without anybody else's text. Off, because you should be asked before "
        "anything changes.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """Whether an approved skill still helps."""

    leave_out_share: float = setting(
        _GUARD.share,
        "Of conversations that go without a proved skill by chance: the only way to know what it "
        "does; a fifth of it once that is sure to be good. Skills that you wrote or pinned are "
        "always in. 0 measures nothing.",
        at_least=0,
        at_most=0.5,
    )
    settle_uses: int = setting(
        _GUARD.settle_uses,
        "Conversations that a fresh skill is always in, so that you see it work.",
        at_least=0,
        at_most=100_000,
    )
    stale_days: float = setting(
        _GUARD.stale_days,
        "Unused for so long, a skill is proposed for retirement.",
        at_least=1,
        at_most=36500,
    )
