"""Builds the JSON of proposals (candidate skills that wait for the user's approval), with
everything needed to decide, for the control API and `lull review --json`.

New versions of Lull only add keys to this JSON. `diff` compares the exact bytes; its lines end at
line feeds only, so that no other line-breaking character can hide a line.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Sequence

from lull.contract.json_object import Json
from lull.core.chat.picks import PAIRS_A_SITTING
from lull.core.checks.reading import parse_all
from lull.core.errors import SkillError
from lull.core.proof.last_look import LastLook, acceptance_chance
from lull.core.proof.pairs import (
    BY_CHECK,
    BY_USER,
    SAME_WORDS,
    Pair,
    Totals,
    distinct_pairs,
    kept_counts,
    totals_of,
)
from lull.core.proof.proof import (
    ProofRule,
    budget,
    decide,
    most_picks_left,
    picks_wanted,
    successes_left,
    wins_wanted,
)
from lull.core.proof.proposal import Proposal, ProposalKind
from lull.core.proof.review_state import cautions_of, review_state_of
from lull.core.proof.whose_words import words_author
from lull.core.skills.skill import SkillKey
from lull.service.proof.skill_texts import check_words, text_view
from lull.store.proof.proposals import WritingFault


def proposal_view(
    proposal: Proposal,
    *,
    base: bytes,
    data: bytes,
    pairs: Sequence[Pair],
    rule: ProofRule,
    testing: bool = False,
    tests_before: int | None = None,
    conflicts: Sequence[SkillKey] = (),
    parts: Sequence[Json] = (),
) -> Json:
    """Convert a proposal (a new, changed or retired skill that waits for approval) to JSON.

    `tests_before`: how many other tests go before one that the user asked for; None: it was not.
    `base` is the active skill's text, `data` the text that would replace it. `testing` says whether
    past requests are being answered for its proof at this moment, `conflicts` which skills in use
    it contradicts.
    """
    after = b"" if proposal.kind is ProposalKind.RETIRE else data
    was = text_view(base)
    return {
        "id": proposal.id,
        "kind": proposal.kind.value,
        "name": proposal.key.name,
        "client": proposal.key.client or None,
        "status": proposal.status.value,
        "sha256": proposal.sha256,
        "diff": unified(base, after, proposal.key.name),
        "evidence": evidence_view(proposal, pairs, rule, parts=parts),
        "provenance": [
            {
                "sentence": trace.sentence,
                "source": trace.source,
                "turn": trace.turn or None,
                "whose": words_author(trace, wish=proposal.wish).value,
                "quoted": list(trace.quoted),
            }
            for trace in proposal.traces
        ],
        "flags": [dict(flag) for flag in proposal.flags],
        "standing": review_state_of(proposal, pairs=len(pairs)).value,
        "until": proposal.until.isoformat() if proposal.until else None,
        "description": proposal.text.description,
        "body": proposal.text.body,
        "before": was["body"] if was else None,
        "said_before": was,
        "conflicts": [{"name": key.name, "client": key.client or None} for key in conflicts],
        "text": data.decode(errors="replace"),
        "reason": proposal.reason,
        "decided_by_user": proposal.before is not None,
        "made": proposal.made_at.isoformat(),
        "changed": proposal.changed_at.isoformat(),
        "origin": proposal.origin.value,
        "wish": proposal.wish,
        "model": proposal.model,
        "scope": proposal.scope.value,
        "check": check_words(proposal.check),
        "check_json": proposal.check or None,
        "needs": "picks" if proposal.needs_picks else None,
        "testing": testing or tests_before == 0,
        "asked": tests_before is not None,
        "tests_before": tests_before or None,
        "stopped": proposal.stopped,
        "base_sha256": proposal.base_sha256,
        "generation": proposal.generation,
        "turns": {
            "failures": list(proposal.failures),
            "siblings": list(proposal.siblings),
            "successes": list(proposal.successes),
            "wish": list(proposal.wish_turns),
        },
    }


def turned_down_view(proposal: Proposal) -> Json:
    """Return the JSON of a proposed skill that its test has turned down: which, when and why."""
    return {
        "id": proposal.id,
        "name": proposal.key.name,
        "client": proposal.key.client or None,
        "body": proposal.text.body,
        "at": proposal.changed_at.isoformat(),
        "reason": proposal.reason,
    }


def evidence_view(
    proposal: Proposal, pairs: Sequence[Pair], rule: ProofRule, *, parts: Sequence[Json] = ()
) -> Json:
    """Return the JSON of the evidence that a proposed skill helps: how often answers with it won or
    lost against answers without it, and the e-value (sequential test statistic) of these results.

    `parts` says of a rule of several parts how often each was kept. Without any answers compared,
    the e-value is 1.
    """
    successes, look = proposal.replayable, proposal.last_look
    so_far = decide(pairs, rule, successes=successes, look=look)
    totals = totals_of(distinct_pairs(pairs))
    return {
        "pairs": so_far.pairs,
        "requests": so_far.requests,
        "wins": so_far.wins,
        "losses": so_far.losses,
        "better": _better(totals, rule.alpha),
        "kept": _kept(proposal, pairs, parts),
        "e_value": so_far.e_value,
        "harm_e_value": so_far.harm_e_value,
        "success_pairs": so_far.success_pairs,
        "success_wins": so_far.success_wins,
        "success_losses": so_far.success_losses,
        "needs_e_value": 1 / rule.alpha,
        "wins_wanted": wins_wanted(pairs, rule),
        "successes_left": successes_left(pairs, rule, successes=successes),
        "most_pairs": budget(totals, rule, successes=successes),
        "most_pairs_if_open": rule.most_pairs,
        "shown_by": so_far.shown_by.value or None,
        "last_look": last_look_view(look, so_far.e_value, rule.alpha),
        "scored_by": count_by_scorer(pairs),
        "cautions": [
            caution.value
            for caution in cautions_of(so_far, pairs, is_about_length=_limits_length(proposal))
        ],
        "picks": picks_view(pairs, rule, successes=successes),
    }


def _limits_length(proposal: Proposal) -> bool:
    """Whether a proposed skill's check limits how long answers are; one that cannot be used does
    not.
    """
    try:
        checks = parse_all(proposal.check).checks if proposal.check else ()
    except SkillError:
        return False
    return any(check.at_most is not None for check in checks)


def last_look_view(look: LastLook | None, e_value: float, alpha: float) -> Json | None:
    """Return the JSON of the last look of a proposed skill's test: one final decision, by a random
    number drawn before the test, when all allowed replays are used up; None before it was made.

    The chance to accept grows with the `e_value`. The random number stays hidden until then.
    """
    if look is None or not look.after:
        return None
    return {
        "after": look.after,
        "chance": acceptance_chance(e_value, alpha),
        "coin": look.coin,
        "seed": look.seed,
        "accepted": look.accepts(e_value, alpha),
    }


def pairs_view(pairs: Sequence[Pair]) -> Json:
    """Return the JSON of every replayed pair (one past request answered without and with a skill),
    in order. An empty answer means that its text was not stored.
    """
    return {
        "pairs": [
            {
                "turn": pair.request,
                "part": pair.part.value,
                "without": {"answer": pair.answers[0], "score": pair.without},
                "with": {"answer": pair.answers[1], "score": pair.with_},
                "kept": any(pair.answers),
                "scored_by": pair.scored_by,
            }
            for pair in pairs
        ]
    }


def count_by_scorer(pairs: Sequence[Pair]) -> dict[str, int]:
    """Return how many of a proposed skill's replayed pairs of answers were scored by each scorer:
    the skill's own `check`, the `user`, a program that verifies answers, or a judge model.
    """
    counts = Counter(pair.scored_by.removeprefix("verifier:") for pair in pairs)
    return dict(sorted(counts.items()))


def picks_view(pairs: Sequence[Pair], rule: ProofRule, *, successes: int) -> Json:
    """Return the JSON of the user's picks between answers with and without a skill: picks `done`,
    pairs skipped because both answers were `alike`, further wins `wanted` to prove the skill, the
    `most` further picks that there can be, and pairs shown in one `sitting`.
    """
    return {
        "done": sum(pair.scored_by == BY_USER for pair in pairs),
        "alike": sum(pair.scored_by == SAME_WORDS for pair in pairs),
        "wanted": picks_wanted(pairs, rule),
        "most": most_picks_left(pairs, rule, successes=successes),
        "sitting": PAIRS_A_SITTING,
    }


def _better(totals: Totals, alpha: float) -> Json | None:
    """Return the share of wins among the decided replays, with the share that they are shown to
    exceed (`above`; None while the skill is not proved by them); None before the first.
    """
    decided = totals.wins + totals.losses
    if not decided:
        return None
    return {
        "share": round(totals.wins / decided, 4),
        "above": totals.share_proved(alpha),
        "n": decided,
    }


def _kept(proposal: Proposal, pairs: Sequence[Pair], parts: Sequence[Json]) -> Json | None:
    """Return how many answers kept to the rule of a proposed skill, with it and without it; None
    where its tests do not say so.
    """
    found = kept_counts(pairs)
    checked = any(pair.scored_by == BY_CHECK for pair in pairs)
    if found is None or (checked and not proposal.check):  # checked by rules of other skills
        return None
    return {
        "pairs": found.pairs,
        "with": found.both + found.only_with,
        "without": found.both + found.only_without,
        "both": found.both,
        "neither": found.neither,
        "parts": list(parts),
    }


def unified(before: bytes, after: bytes, name: str) -> str:
    """Return a GNU unified diff of two texts; an empty text is named /dev/null in its header."""
    old, new = _lines(before), _lines(after)
    lines = difflib.unified_diff(
        old,
        new,
        f"{name} in use" if old else "/dev/null",
        f"{name} proposed" if new else "/dev/null",
        lineterm="",
    )
    return "\n".join(lines)


def _lines(data: bytes) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines, "\\ No newline at end of file"]


def fault_view(fault: WritingFault, *, settled: Collection[str]) -> Json:
    """Return the JSON of a model's unsuccessful attempt to write a skill from bad answers.

    `settled` holds the ids of those attempts that no longer matter, because the same bad answers
    later led to a proposed skill.
    """
    return {
        "id": fault.id,
        "at": fault.at.isoformat(),
        "client": fault.client or None,
        "turns": list(fault.turns),
        "writer": fault.evolver,
        "problem": fault.problem,
        "answer": fault.answer,
        "due": fault.due.isoformat() if fault.due else None,
        "settled": fault.id in settled,
    }


def settled_faults(faults: Sequence[WritingFault], proposals: Sequence[Proposal]) -> frozenset[str]:
    """Return the ids of those unsuccessful attempts to write a skill that no longer matter, because
    the bad answers that they started from later led to a proposed skill.
    """
    return frozenset(
        fault.id
        for fault in faults
        if any(
            proposal.made_at >= fault.at and set(fault.turns) & set(proposal.failures)
            for proposal in proposals
        )
    )
