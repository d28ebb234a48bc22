"""Decides whether a newly trained LoRA adapter may answer users: the gate.

The adapter (the candidate) is compared with the active one on the same requests. Five checks must
all pass:

- **Canaries** (small test tasks), grouped in families. First each is answered once, greedily; a
  family passes if the candidate loses at most 3 points more of its tasks than it wins. In a family
  of twelve, one flipped answer says little, so a small loss is checked again with sampled answers
  to randomly drawn tasks. This ends when a bet (`safe_log_e`) shows at 20 to 1 that the candidate
  is not worse by 3 points or more, when it shows harm, or when the pairs are used up; what is not
  shown fails. All families must pass, so no correction for multiple tests is needed
  (intersection-union test: Berger 1982).
- **The target.** Both adapters answer held-out requests with the same seed: the bet on wins and
  losses must reach 20 (`log_e_value`) or, where graded scores were announced beforehand, the lower
  bound of the mean gain must be above 0 (`gain_bound`). An adapter that was trained on ratings must
  have come to prefer the good one of two rated answers that were kept out of training; the bet is
  the same.
- **Closeness to the base model** in nats per token: forgetting follows the divergence (RL's Razor,
  arXiv 2509.04259).
- **Style**: length, repetition and refusals must stay within 15 %.
- **Secrets**: no planted secret and nothing that looks like a secret may be output.

The verdict is a pure function of the measurements, which are taken elsewhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.adapters.gate_measured import (
    CanaryPair,
    Distance,
    Manner,
    Measures,
    PreferencePair,
    TargetPair,
)
from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.adapters.gate_statistics import gain_bound, harm_log_e, safe_log_e
from lull.core.proof.evalue import e_value_from_log, harm_log_e_value, log_e_value

_ROUNDING: Final = 1e-9


class CheckState(StrEnum):
    """The result of one check of the gate, which a trained adapter must pass before it is used."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"
    """The check needs more pairs of answers before it can pass or fail."""


class TargetTest(StrEnum):
    """The test by which an adapter must show a gain on requests that were kept out of training: an
    e-value from its wins and losses, or a lower confidence bound of its mean gain in score. It is
    chosen before the first pair of answers is compared.
    """

    WINS = "wins"
    BOUND = "bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """The thresholds of the gate, the test that an adapter must pass before it answers users. They
    are deliberately not settings, because lowering them after a rejection would defeat the test.
    Only the command `lull adapters promote --anyway` overrides the gate, openly.
    """

    margin: float = 0.03
    """Largest net loss of a canary family (tasks lost minus tasks won, as a share) that passes."""
    again_within: float = 0.10
    """Largest net loss of a canary family in the first round, as a share, that is checked again
    with sampled answers; a greater loss fails at once. A net loss of one task is always checked
    again.
    """
    most_again: int = 600
    """Most pairs of sampled answers for one canary family."""
    e: float = 20.0
    target: TargetTest = TargetTest.WINS
    least_target_pairs: int = 20
    most_target_pairs: int = 120
    kept_share: float = 0.9
    """Share of a skill's gain that the adapter must reach without the skill in the prompt."""
    kl_replay: float = 0.05
    """Largest mean divergence from the base on replayed requests, in nats per token."""
    kl_canaries: float = 0.02
    drift: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckProgress:
    """The present result of one check of the gate (the test before an adapter may answer users):
    passed, failed, or open until more answers are compared.
    """

    state: CheckState
    check: GateCheck
    counts: Mapping[str, int] = field(default_factory=dict)


def decide(measures: Measures, rule: GateRule, *, at: datetime, against: str | None) -> Verdict:
    """Decide whether a candidate adapter may answer users, from the measurements for all checks
    that it must pass (the gate). A check that is still open counts as failed. `against` is the id
    of the active adapter that it was compared with; None: the base model.
    """
    looks = [
        *families(measures.probes, rule),
        gain(measures, rule),
        *skill_retention(measures.targets, rule),
        closeness("kl:replay", measures.replay, rule.kl_replay, "past successes"),
        closeness("kl:canaries", measures.canaries, rule.kl_canaries, "canaries"),
        *manner(measures.manners, rule),
        secrets(measures),
    ]
    return Verdict(
        accepted=all(look.state is CheckState.HOLDS for look in looks),
        at=at,
        against=against,
        checks=tuple(look.check for look in looks),
    )


def _look(
    name: str,
    standing: CheckState,
    text: str,
    value: float | None = None,
    limit: float | None = None,
) -> CheckProgress:
    holds = standing is CheckState.HOLDS
    return CheckProgress(
        state=standing,
        check=GateCheck(name=name, holds=holds, text=text, value=value, limit=limit),
    )


# Canaries


def families(pairs: Iterable[CanaryPair], rule: GateRule) -> list[CheckProgress]:
    """Check that the new adapter is not worse than the old one at canary prompts (small test tasks)
    and at past requests that went well. Return one result per group (family) of prompts, sorted by
    the group's name.
    """
    found: defaultdict[str, list[CanaryPair]] = defaultdict(list)
    for pair in pairs:
        found[pair.family].append(pair)
    if not found:
        return [_look("canaries", CheckState.OPEN, "no test task was answered")]
    return [family(name, found[name], rule) for name in sorted(found)]


def family(name: str, pairs: Sequence[CanaryPair], rule: GateRule) -> CheckProgress:
    """Check that a trained adapter has lost no more of one family of canaries (small tasks) than
    the gate allows.
    """
    first = [pair for pair in pairs if not pair.sampled]
    wins, losses = _discordant(first)
    net = (wins - losses) / max(1, len(first))
    said = f"{name}: {losses} lost and {wins} won of {len(first)} test tasks"
    title = f"canaries:{name}"
    if first and net >= -rule.margin - _ROUNDING:
        return _look(title, CheckState.HOLDS, said, net, -rule.margin)
    if losses - wins > 1 and net < -rule.again_within:
        return _look(title, CheckState.FAILS, said, net, -rule.margin)
    return _again(title, said, [pair for pair in pairs if pair.sampled], rule)


def _again(title: str, said: str, pairs: Sequence[CanaryPair], rule: GateRule) -> CheckProgress:
    wins, losses = _discordant(pairs)
    ties, goal = len(pairs) - wins - losses, math.log(rule.e)
    value = (wins - losses) / max(1, len(pairs))
    clauses = [said, f"in a second round {losses} lost and {wins} won of {len(pairs)}"]
    left = max(0, rule.most_again - len(pairs))
    standing = CheckState.OPEN
    if safe_log_e(wins, losses, ties, rule.margin) >= goal:
        standing = CheckState.HOLDS
    elif harm_log_e(wins, losses, ties, rule.margin) >= goal:
        standing = CheckState.FAILS
    elif safe_log_e(wins, losses, ties + left, rule.margin) < goal:
        # Even if nothing were lost from now on; this also ends it at the last pair.
        standing = CheckState.FAILS
    if standing is not CheckState.HOLDS:
        points = f"{rule.margin * 100:g}"
        clauses.append(f"that does not rule out that it is worse by {points} points")
    return _look(title, standing, "; ".join(clauses), value, -rule.margin)


def _discordant(pairs: Iterable[CanaryPair]) -> tuple[int, int]:
    wins = losses = 0
    for pair in pairs:
        wins += pair.new and not pair.old
        losses += pair.old and not pair.new
    return wins, losses


# The target


def gain(measures: Measures, rule: GateRule) -> CheckProgress:
    """Check that a trained adapter is better at what it was trained for: by pairs of rated answers
    where it was trained on ratings, else by its own answers.
    """
    if measures.preferences:
        return preferred(measures.preferences, rule)
    return target(measures.targets, rule)


def preferred(pairs: Sequence[PreferencePair], rule: GateRule) -> CheckProgress:
    """Check that an adapter trained on ratings prefers good answers to bad ones more than the
    active one, in pairs of rated answers that were kept out of its training.

    Where the ratings say nothing about the adapter, the good answer of a pair gains on the bad one
    as often as it loses. So the bet on wins and losses is the same as for answers.
    """
    changes = [pair.change for pair in pairs]
    wins, losses = changes.count(1), changes.count(-1)
    said = (
        f"the good answer gained on the bad one in {wins} and lost in {losses} of {len(pairs)} "
        "pairs of rated answers kept out of training"
    )
    return _bet([float(change) for change in changes], wins, losses, said, rule)


def target(pairs: Sequence[TargetPair], rule: GateRule) -> CheckProgress:
    """Check that a trained adapter answers requests better that were kept out of its training."""
    wins = sum(pair.new > pair.old for pair in pairs)
    losses = sum(pair.new < pair.old for pair in pairs)
    requests = len({pair.request for pair in pairs})
    said = (
        f"{wins} won and {losses} lost of {len(pairs)} pairs on {requests} requests kept out "
        "of training"
    )
    return _bet([pair.new - pair.old for pair in pairs], wins, losses, said, rule)


def _bet(
    gains: Sequence[float], wins: int, losses: int, said: str, rule: GateRule
) -> CheckProgress:
    shown, value, limit = _shown(gains, wins, losses, rule)
    if shown and len(gains) >= min(rule.least_target_pairs, rule.most_target_pairs):
        return _look("target", CheckState.HOLDS, f"it is better: {said}", value, limit)
    if harm_log_e_value(wins, losses) >= math.log(rule.e):
        return _look("target", CheckState.FAILS, f"it is worse: {said}", value, limit)
    left = rule.most_target_pairs - len(gains)
    if left <= 0 or (not shown and not _still_possible(wins, losses, left, rule)):
        return _look("target", CheckState.FAILS, f"no improvement was shown: {said}", value, limit)
    return _look("target", CheckState.OPEN, f"no improvement was shown yet: {said}", value, limit)


def _shown(
    gains: Sequence[float], wins: int, losses: int, rule: GateRule
) -> tuple[bool, float, float]:
    if rule.target is TargetTest.BOUND:
        bound = gain_bound(gains, 1.0 / rule.e)
        return bound > 0.0, bound, 0.0
    log_e = log_e_value(wins, losses)
    return log_e >= math.log(rule.e), e_value_from_log(log_e), rule.e


def _still_possible(wins: int, losses: int, left: int, rule: GateRule) -> bool:
    if rule.target is TargetTest.BOUND:
        return True
    return log_e_value(wins + left, losses) >= math.log(rule.e)


def skill_retention(pairs: Sequence[TargetPair], rule: GateRule) -> list[CheckProgress]:
    """Check that an adapter trained to follow a skill (an instruction text) follows it without
    having it in the prompt: it must gain most of what the active adapter gains by having the skill
    in its prompt. Return an empty list if the adapter was not trained on a skill.
    """
    gains = [(p.new - p.old, p.taught - p.old) for p in pairs if p.taught is not None]
    if not gains:
        return []
    own, taught = (sum(one) / len(gains) for one in zip(*gains, strict=True))
    share = own / taught if taught > 0 else 0.0
    said = f"it keeps {share:.0%} of what the skill in the prompt gains"
    if taught <= 0:
        said = "the skill in the prompt gained nothing here that could be kept"
    standing = CheckState.HOLDS if share >= rule.kept_share - _ROUNDING else CheckState.FAILS
    return [_look("kept", standing, said, share, rule.kept_share)]


# Closeness


def closeness(name: str, paths: Sequence[Distance], limit: float, where: str) -> CheckProgress:
    """Check that the adapter stays close to the base model: the mean KL divergence over all tokens
    of these answers, in nats per token, must not exceed `limit`. `name` names the check, and
    `where` says in words which answers they are.
    """
    tokens = sum(path.tokens for path in paths)
    if not tokens:
        none = f"there were no {where} for measuring how far it is from the original model"
        standing = CheckState.HOLDS if name == "kl:replay" else CheckState.OPEN
        return _look(name, standing, none, None, limit)
    mean = sum(path.nats for path in paths) / tokens
    said = (
        f"on {where} it is {mean:.3f} away from the original model (KL divergence per token); "
        f"at most {limit:g} is allowed"
    )
    fits = math.isfinite(mean) and mean <= limit
    return _look(name, CheckState.HOLDS if fits else CheckState.FAILS, said, mean, limit)


# Style


def manner(pairs: Sequence[tuple[Manner, Manner]], rule: GateRule) -> list[CheckProgress]:
    """Check that training has not changed how long, how repetitive and how unwilling other answers
    are.
    """
    if not pairs:
        return [_look("manner", CheckState.OPEN, "no answer was compared")]
    n = len(pairs)
    lengths = [(old.characters / n, new.characters / n) for old, new in pairs]
    repeated = [(old.repeated / n, new.repeated / n) for old, new in pairs]
    refused = [(old.refused / n, new.refused / n) for old, new in pairs]
    return [
        _drift("length", "answers have {:.0f} characters (before: {:.0f})", lengths, rule, 0.0),
        _drift(
            "repetition",
            "{:.1%} of an answer is repetition (before: {:.1%})",
            repeated,
            rule,
            1 / n,
        ),
        _drift("refusals", "{:.1%} of answers are refusals (before: {:.1%})", refused, rule, 1 / n),
    ]


def _drift(
    name: str, words: str, parts: Sequence[tuple[float, float]], rule: GateRule, least: float
) -> CheckProgress:
    """Check how much a style measure changed. `least` is the share that a single answer makes up;
    near 0 it replaces the limit of 15 %, which would be too small.
    """
    old, new = (math.fsum(side) for side in zip(*parts, strict=True))
    allowed = max(rule.drift * old, least) + _ROUNDING
    standing = CheckState.HOLDS if abs(new - old) <= allowed else CheckState.FAILS
    value = (new - old) / old if old else new
    return _look(name, standing, f"{name}: {words.format(new, old)}", value, rule.drift)


# Secrets


def secrets(measures: Measures) -> CheckProgress:
    """Check that no answer of a trained adapter has revealed a secret."""
    if measures.leaks:
        named = ", ".join(sorted(set(measures.leaks))[:5])
        return _look("secrets", CheckState.FAILS, f"it gave away {named}", len(measures.leaks), 0)
    if not measures.answers_searched:
        return _look("secrets", CheckState.OPEN, "it was not checked for leaked secrets")
    said = f"{measures.answers_searched} answers gave away no secrets"
    return _look("secrets", CheckState.HOLDS, said, 0, 0)
