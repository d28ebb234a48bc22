"""Settings for learning skills (instruction texts): which helper models are asked and when, and how
skills are tested, approved and measured in use.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.config import addresses
from lull.config.rules import setting
from lull.core.feedback.rules import ScoreRule
from lull.core.proof.holdout import FIRST_USES, HOLDOUT_SHARE
from lull.core.proof.rules import HoldoutRule, ProveRule
from lull.core.skills.rules import EvolveRule

_SCORE = ScoreRule()
_EVOLVE = EvolveRule()
_PROOF = ProveRule().proof
_HOLDOUT = HoldoutRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """Settings of the model that judges whether an answer was good when neither the user nor an
    automatic check tells.
    """

    model: str = setting(
        "auto",
        "The model that judges answers. auto asks the largest model in your Ollama that passed "
        "Lull's test, which runs while you are away; `lull model exams` shows the results. A "
        "name asks that model, whether it passed or not. Empty or none asks no model: then only "
        "tools, checks, your ratings and your own words count.",
    )
    address: str = setting(
        "",
        "The server with the model that judges. Empty means your Ollama; otherwise it is the "
        "base address of any server that speaks OpenAI's protocol, such as "
        "http://127.0.0.1:1234/v1.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:1234/v1"',
    )
    allow_remote: bool = setting(
        False,
        "Allows Lull to send conversations to another computer to be judged.",
    )
    votes: int = setting(
        3,
        "How many times the judge is asked about one answer. The majority decides.",
        at_least=2,
        at_most=9,
    )
    temperature: float = setting(
        0.6,
        "How much the judge's votes may differ from each other (its temperature). At 0 they "
        "would all be alike and count as one.",
        at_least=0,
        at_most=2,
    )
    timeout_s: float = setting(
        120.0,
        "How long the judge may take to answer. Its model may have to be loaded first.",
        at_least=1,
        at_most=3600,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSettings:
    """Settings of the model that writes skills (instruction texts) from failed answers that the
    user did not explain.
    """

    model: str = setting(
        "auto",
        "The model that writes skills. It takes the same values as “Model that judges "
        "answers”. It is asked rarely and may take its time. Without one, skills are made "
        "only from corrections in your own words.",
    )
    address: str = setting(
        "",
        "The server with the model that writes skills. It takes the same values as “Server of "
        "the judge”.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:1234/v1"',
    )
    allow_remote: bool = setting(
        False,
        "Allows Lull to send conversations in which an answer failed to another computer, so "
        "that a model there can write skills.",
    )
    timeout_s: float = setting(
        300.0,
        "How long the writer may take to answer. A long answer from a large model takes minutes.",
        at_least=1,
        at_most=3600,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """Settings for reading users' follow-up messages as feedback, by a chat model or by Lull's own
    small model.
    """

    model: str = setting(
        "auto",
        "The model that reads what your messages say about the answers before them. It takes "
        "the same values as “Model that judges answers”; “auto” takes a model only if it "
        "certainly reads better than Lull's own small model for this. It always runs on this "
        "machine.",
    )
    timeout_s: float = setting(
        120.0,
        "How long the reader may take to answer. Its model may have to be loaded first.",
        at_least=1,
        at_most=3600,
    )
    unload_after_s: float = setting(
        120.0,
        "After how many seconds without use the small reader stops and frees its half gigabyte "
        "of memory. Starting it again takes about five seconds, and the messages of a "
        "conversation come minutes apart. 0 keeps it running.",
        at_least=0,
        at_most=86_400,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """Settings for when Lull works on skills (instruction texts) by itself, and how clearly replays
    of past requests must show that one helps.
    """

    quiet_s: float = setting(
        20.0,
        "How many seconds Lull waits after your last chat before it uses models for its own "
        "work. A new chat interrupts this work at once.",
        at_least=0,
        at_most=86400,
    )
    settle_s: float = setting(
        _SCORE.settle_s,
        "How many seconds an answer waits for your next message. After that it is judged "
        "without one.",
        at_least=1,
        at_most=604800,
    )
    alike: int = setting(
        _EVOLVE.alike,
        "How many failures without a comment from you must look alike before a skill is "
        "written, because a single one may be chance. One correction in your own words is "
        "enough.",
        at_least=2,
        at_most=100,
    )
    most_active: int = setting(
        _EVOLVE.most_active,
        "How many skills may be active at the same time. At this number, no more are "
        "suggested. Too many skills weaken each other.",
        at_least=1,
        at_most=10_000,
    )
    most_open: int = setting(
        _EVOLVE.most_open,
        "How many suggestions may wait for your decision at the same time.",
        at_least=1,
        at_most=100,
    )
    alpha: float = setting(
        _PROOF.alpha,
        "The highest risk that a useless skill passes its test and is called proved.",
        at_least=0.0001,
        at_most=0.5,
    )
    most_pairs: int = setting(
        _PROOF.first_pairs,
        "How many pairs of answers, with and without the skill, are generated to prove it. If "
        "that decides nothing, as many again are generated. If it is still undecided, one final "
        "random draw decides; the stronger the evidence, the better the skill's chance in it.",
        at_least=13,
        at_most=1000,
    )
    slice_s: float = setting(
        30.0,
        "After how many seconds a proof pauses, so that other work gets its turn.",
        at_least=1,
        at_most=600,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    """Settings for the review of suggested skills by the user."""

    auto_approve: bool = setting(
        False,
        "Approves a suggestion without asking you. This is done only if it is proved and says "
        "just what you typed in one plain sentence, in a conversation without text by anyone "
        "else. It is off by default, because you should be asked before anything changes.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """Settings for measuring whether an approved skill (an instruction text) still helps."""

    leave_out_share: float = setting(
        _HOLDOUT.share,
        "The share of new conversations in which a skill that Lull wrote is left out at random, "
        "to see what it does. Normally Lull measures this while you are away, by answering past "
        "requests without the skill. It leaves a skill out only if such answers cannot be "
        "scored, or too few of them; the skill's page then says so. It is never left out of "
        "your first conversations with it, and skills that you wrote or pinned are never left "
        "out. With 0, no skill is left out.",
        at_least=0,
        at_most=HOLDOUT_SHARE,
        held=True,
    )
    settle_uses: int = setting(
        _HOLDOUT.settle_uses,
        "In each chat app, this many conversations after a skill's approval always get it, so "
        "that you see it work; after that it may be left out of some.",
        at_least=FIRST_USES,
        at_most=100_000,
        held=True,
    )
    stale_days: float = setting(
        _HOLDOUT.stale_days,
        "After how many days without use Lull suggests removing a skill.",
        at_least=1,
        at_most=36500,
    )
