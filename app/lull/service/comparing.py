"""What `lull review compare` and the window ask of the service: two answers, and the user's pick.

Two answers can take a slow model minutes. So the replay is a task of the service's own: a question
is answered within `PATIENCE_S`, with the pair or with the word that the model is still at it, and
who asks again goes on waiting for the same pair. Who leaves finds it when they come back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from aiohttp import web

from lull.contract import routes
from lull.core.errors import LullError, UsageError
from lull.core.picks import Pick
from lull.core.proof import ProofRule
from lull.core.proposal import Proposal
from lull.loops.compare import Asked, Comparison
from lull.service.proposal_views import evidence_view
from lull.store.proposals import Proposals

log = logging.getLogger(__name__)

Json = dict[str, Any]
PATIENCE_S: Final = 20.0


class Compares(Protocol):
    """The story (loops/compare.py)."""

    async def next(self, proposal_id: str, /) -> Asked: ...

    async def pick(self, proposal_id: str, pair: str, pick: Pick, /) -> Proposal: ...


class Followed(Protocol):
    """The part of the fast loop that hears of picks."""

    async def picked(self) -> None: ...


class Comparing:
    def __init__(
        self,
        compare: Compares,
        *,
        proposals: Proposals,
        rule_for: Callable[[Proposal], ProofRule],
        proofs: Followed,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._compare = compare
        self._proposals = proposals
        self._rule_for = rule_for
        self._proofs = proofs
        self._patience_s = patience_s
        self._replaying: dict[str, asyncio.Task[Asked]] = {}
        """By proposal."""
        self._picking: set[asyncio.Task[Json]] = set()

    async def next(self, proposal_id: str) -> Json:
        """`{"pair", "request", "a", "b", "alike", "working", …}`; `pair` is None while the model is
        still answering, and where there is nothing to pick. Raises LullError."""
        proposal = await asyncio.to_thread(self._proposals.get, proposal_id)
        task = self._replaying.get(proposal.id)
        if task is None:
            task = asyncio.create_task(self._compare.next(proposal.id))
            self._replaying[proposal.id] = task
            task.add_done_callback(_look)
        done, _ = await asyncio.wait({task}, timeout=self._patience_s)
        if not done:
            return await self._answer(proposal.id, None, working=True)
        if self._replaying.get(proposal.id) is task:
            del self._replaying[proposal.id]
        asked = task.result()
        if asked.alike:
            await self._proofs.picked()
        return await self._answer(proposal.id, asked.comparison, alike=asked.alike)

    async def pick(self, proposal: str, wanted: Mapping[str, Any]) -> Json:
        """`{"proposal", "picks", "wins", "losses", "e_value", "wanted", …}` afterwards. Raises
        Conflict, NotFound, UsageError."""
        pair, pick = wanted.get("pair"), wanted.get("pick")
        if not isinstance(pair, str) or pick not in list(Pick):
            raise UsageError(
                "A pair and a pick are wanted.", hint=f"The pick is one of {', '.join(Pick)}."
            )
        task = asyncio.create_task(self._pick(proposal, pair, Pick(pick)))
        self._picking.add(task)
        task.add_done_callback(self._picking.discard)
        task.add_done_callback(_look)
        # What the user said is kept, also when they leave at once.
        return await asyncio.shield(task)

    async def _pick(self, proposal: str, pair: str, pick: Pick) -> Json:
        now = await self._compare.pick(proposal, pair, pick)
        await self._proofs.picked()
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
            "needs_e_value": evidence["needs_e_value"],
            "wanted": evidence["picks"]["wanted"],
            "sitting": evidence["picks"]["sitting"],
            "alike": alike,
            "working": working,
            "proposal": proposal.id,
            "name": proposal.key.name,
            "wish": proposal.wish,
            "status": proposal.status.value,
            "reason": proposal.reason,
            "open": proposal.comparable,
        }


def _look(task: asyncio.Task[Any]) -> None:
    """Nobody may be waiting any more for what went wrong."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, LullError):
        log.info("not compared: %s", error)
    elif error is not None:
        log.error("a comparison failed", exc_info=error)


def comparing_routes(
    app: web.Application,
    comparing: Comparing,
    *,
    answer: Callable[[Json], web.Response],
    body: Callable[[web.Request], Awaitable[Json]],
) -> None:
    async def following(request: web.Request) -> web.Response:
        return answer(await comparing.next(request.match_info["id"]))

    async def picked(request: web.Request) -> web.Response:
        return answer(await comparing.pick(request.match_info["id"], await body(request)))

    app.router.add_post(routes.PROPOSAL_COMPARE, following)
    app.router.add_post(routes.PROPOSAL_PICK, picked)
