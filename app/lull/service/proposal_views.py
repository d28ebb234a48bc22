"""Proposals as the JSON of CLI.md: all that a person needs to decide, in words and in numbers.

Keys are only ever added. `diff` is of the exact bytes; its lines end at line feeds alone, so that
no other character that starts a line on some screens can hide one.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from lull.core.check import in_words, parse
from lull.core.errors import SkillError
from lull.core.evalue import win_share
from lull.core.picks import PAIRS_A_SITTING
from lull.core.proof import BY_USER, SAME_WORDS, Pair, ProofRule, decide, picks_wanted
from lull.core.proposal import Proposal, ProposalKind
from lull.store.proposals import WritingFault

Json = dict[str, Any]


def proposal_view(
    proposal: Proposal, *, base: bytes, data: bytes, pairs: Sequence[Pair], rule: ProofRule
) -> Json:
    """`base` are the bytes in force, `data` those that approval puts in their place."""
    after = b"" if proposal.kind is ProposalKind.RETIRE else data
    return {
        "id": proposal.id,
        "kind": proposal.kind.value,
        "name": proposal.key.name,
        "client": proposal.key.client or None,
        "status": proposal.status.value,
        "sha256": proposal.sha256,
        "diff": unified(base, after, proposal.key.name),
        "evidence": evidence_view(proposal, pairs, rule),
        "provenance": [
            {"sentence": trace.sentence, "source": trace.source, "turn": trace.turn or None}
            for trace in proposal.traces
        ],
        "flags": [dict(flag) for flag in proposal.flags],
        "description": proposal.text.description,
        "body": proposal.text.body,
        "text": data.decode(errors="replace"),
        "reason": proposal.reason,
        "made": proposal.made_at.isoformat(),
        "changed": proposal.changed_at.isoformat(),
        "origin": proposal.origin.value,
        "wish": proposal.wish,
        "model": proposal.model,
        "scope": proposal.scope.value,
        "check": check_words(proposal.check),
        "check_json": proposal.check or None,
        "needs": "picks" if proposal.needs_picks else None,
        "base_sha256": proposal.base_sha256,
        "generation": proposal.generation,
        "turns": {
            "failures": list(proposal.failures),
            "siblings": list(proposal.siblings),
            "successes": list(proposal.successes),
            "wish": list(proposal.wish_turns),
        },
    }


def evidence_view(proposal: Proposal, pairs: Sequence[Pair], rule: ProofRule) -> Json:
    """What the replays so far come to; before the first one nothing, at an e-value of 1."""
    so_far = decide(pairs, rule, successes=proposal.replayable)
    return {
        "pairs": so_far.pairs,
        "requests": so_far.requests,
        "wins": so_far.wins,
        "losses": so_far.losses,
        "better": _better(so_far.wins, so_far.losses),
        "e_value": so_far.e_value,
        "harm_e_value": so_far.harm_e_value,
        "success_pairs": so_far.success_pairs,
        "success_wins": so_far.success_wins,
        "success_losses": so_far.success_losses,
        "needs_e_value": 1 / rule.alpha,
        "most_pairs": rule.most_pairs,
        "scored_by": scored_by(pairs),
        "picks": picks_view(pairs, rule),
    }


def scored_by(pairs: Sequence[Pair]) -> dict[str, int]:
    """How many pairs each of them scored: `check`, `user`, a model's own verifier, a judge."""
    counts = Counter(pair.scored_by.removeprefix("verifier:") for pair in pairs)
    return dict(sorted(counts.items()))


def picks_view(pairs: Sequence[Pair], rule: ProofRule) -> Json:
    """What the user picked so far, and how many more picks for it would show a benefit."""
    return {
        "done": sum(pair.scored_by == BY_USER for pair in pairs),
        "alike": sum(pair.scored_by == SAME_WORDS for pair in pairs),
        "wanted": picks_wanted(pairs, rule),
        "sitting": PAIRS_A_SITTING,
    }


def _better(wins: int, losses: int) -> Json | None:
    """The share of replays that were better, of those in which the skill made a difference, with
    bounds that hold whenever one looks (95 %); None before the first."""
    if not wins + losses:
        return None
    low, high = win_share(wins, losses)
    return {
        "share": round(wins / (wins + losses), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "n": wins + losses,
    }


def unified(before: bytes, after: bytes, name: str) -> str:
    """A unified diff (GNU's form); a side that is not there is /dev/null."""
    old, new = _lines(before), _lines(after)
    lines = difflib.unified_diff(
        old,
        new,
        f"{name} in force" if old else "/dev/null",
        f"{name} proposed" if new else "/dev/null",
        lineterm="",
    )
    return "\n".join(lines)


def _lines(data: bytes) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines, "\\ No newline at end of file"]


def check_words(check: str) -> str | None:
    """What the check that came with a proposal asks of an answer; None where none came."""
    if not check:
        return None
    try:
        return in_words(parse(check))
    except SkillError as error:
        return f"{error.detail} It is never used."


def fault_view(fault: WritingFault, *, settled: Collection[str]) -> Json:
    """`settled`: ids of faults whose failures became a proposal after all."""
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
    """Faults after which the same failures led to a proposal."""
    return frozenset(
        fault.id
        for fault in faults
        if any(
            proposal.made_at >= fault.at and set(fault.turns) & set(proposal.failures)
            for proposal in proposals
        )
    )
