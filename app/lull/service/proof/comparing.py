"""Answers the control API's requests behind `lull review compare`: has two answers made, with and
without a proposed skill, and records which one the user picks.

A slow model can take minutes for two answers, so they are made in a background task. A request
waits for this task for up to `PATIENCE_S` and then reports that the model is still working; the
next request waits for the same task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from lull.contract.json_object import Json
from lull.core.chat.picks import Comparison, NextPair, Pick
from lull.core.errors import LullError, UsageError
from lull.core.proof.proof import ProofRule
from lull.core.proof.proposal import Proposal
from lull.service.proof.proposal_views import evidence_view
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.proof.proposals import Proposals

log = logging.getLogger(__name__)

PATIENCE_S: Final = 20.0
"""Most seconds that a request waits for a pair of answers."""


class ComparesPairs(Protocol):
    """Interface of the object that has a model make two answers, with and without a proposed
    skill, and records which one the user picks.
    """

    async def next(self, proposal_id: str, /) -> NextPair:
        """Return the next pair of answers for the user to compare."""

    async def pick(self, proposal_id: str, pair: str, pick: Pick, /) -> Proposal:
        """Record which answer of a pair the user picked, and return the changed proposal."""


class PickListener(Protocol):
    """Interface of the object whose method is called after the user has picked one of two answers,
    so that the proof of the skill continues.
    """

    async def on_picked(self) -> None:
        """Go on with the skill's proof, after the user's pick has been recorded."""


class ComparisonRequests:
    """Answers the control API's requests to compare answers made with and without a proposed
    skill.
    """

    def __init__(
        self,
        compare: ComparesPairs,
        *,
        proposals: Proposals,
        rule_for: Callable[[Proposal], ProofRule],
        proofs: PickListener,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._compare = compare
        self._proposals = proposals
        self._rule_for = rule_for
        self._proofs = proofs
        self._patience_s = patience_s
        self._replaying: dict[str, asyncio.Task[NextPair]] = {}
        """Running replays by proposal id."""

    async def next(self, proposal_id: str) -> Json:
        """Return two answers to a past request, one made with a proposed skill and one without, for
        the user to compare.

        The result is `{"pair", "request", "a", "b", "alike", "working", …}`. `pair` is the id by
        which to pick; None while the model is still answering (`working`), or if there is nothing
        to pick. `alike` counts the pairs skipped because both answers were the same. Raises
        LullError.
        """
        proposal = await asyncio.to_thread(self._proposals.get, proposal_id)
        task = self._replaying.get(proposal.id)
        if task is None:
            task = asyncio.create_task(self._compare.next(proposal.id))
            self._replaying[proposal.id] = task
            task.add_done_callback(_log_failure)
        done, _ = await asyncio.wait({task}, timeout=self._patience_s)
        if not done:
            return await self._answer(proposal.id, None, working=True)
        if self._replaying.get(proposal.id) is task:
            del self._replaying[proposal.id]
        asked = task.result()
        if asked.alike:
            await self._proofs.on_picked()
        return await self._answer(proposal.id, asked.comparison, alike=asked.alike)

    async def pick(self, proposal: str, wanted: Mapping[str, Any]) -> Json:
        """Record which of two answers, with and without a proposed skill, the user picked; return
        the state of the skill's proof (its test by replayed requests).

        `wanted` is `{"pair", "pick"}`. The result is `{"proposal", "picks", "wins", "losses",
        "e_value", "wanted", "most", …}`: `picks` is the number of picks so far, `wanted` how many
        more wins would prove the skill and `most` how many more picks there can be. Raises
        Conflict, NotFound, UsageError.
        """
        pair, pick = wanted.get("pair"), wanted.get("pick")
        if not isinstance(pair, str) or pick not in list(Pick):
            raise UsageError(
                "A pair and a pick are wanted.", hint=f"The pick is one of {', '.join(Pick)}."
            )
        # The pick counts even if the client disconnects.
        return await uninterrupted(self._pick(proposal, pair, Pick(pick)))

    async def _pick(self, proposal: str, pair: str, pick: Pick) -> Json:
        now = await self._compare.pick(proposal, pair, pick)
        await self._proofs.on_picked()
        return await self._answer(now.id, None)

    async def _answer(
        self, proposal: str, comparison: Comparison | None, *, alike: int = 0, working: bool = False
    ) -> Json:
        return await asyncio.to_thread(self._view, proposal, comparison, alike, working)

    def _view(
        self, proposal_id: str, comparison: Comparison | None, alike: int, working: bool
    ) -> Json:
        proposal = self._proposals.get(proposal_id)
        pairs = self._proposals.pairs(proposal.id)
        evidence = evidence_view(proposal, pairs, self._rule_for(proposal))
        return {
            "pair": comparison.pair if comparison else None,
            "request": comparison.request if comparison else None,
            "a": comparison.a if comparison else None,
            "b": comparison.b if comparison else None,
            "picks": evidence["picks"]["done"],
            "wins": evidence["wins"],
            "losses": evidence["losses"],
            "e_value": evidence["e_value"],
            "shown_by": evidence["shown_by"],
            "needs_e_value": evidence["needs_e_value"],
            "wanted": evidence["picks"]["wanted"],
            "most": evidence["picks"]["most"],
            "sitting": evidence["picks"]["sitting"],
            "alike": alike,
            "working": working,
            "proposal": proposal.id,
            "name": proposal.key.name,
            "wish": proposal.wish,
            "status": proposal.status.value,
            "reason": proposal.reason,
            "open": proposal.comparable and not proposal.last_look_taken,
        }


def _log_failure(task: asyncio.Task[Any]) -> None:
    """Log a failed task, since nobody may be waiting for it any more."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, LullError):
        log.info("not compared: %s", error)
    elif error is not None:
        log.error("a comparison failed", exc_info=error)
