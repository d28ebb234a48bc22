"""Drafts candidate skills (instruction texts) from answers that failed.

Similar failures are grouped, and of each group a candidate is made (`make_candidate`), as long as
not too many wait for the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from lull.core.errors import LullError, UpstreamDown
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock, Ids
from lull.core.proof.proposal import TO_READ, Proposal, ProposalOrigin
from lull.core.skills.failures import failure_sets
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.rules import EvolveRule
from lull.loops.skills.find_failures import FindFailures
from lull.loops.skills.make_candidate import MakeCandidate, SkillWriter
from lull.loops.skills.propose import Propose
from lull.store.proof.proposals import Proposals


class Evolve:
    """Groups failed answers by similarity and has writers draft skills (instruction texts) that
    would prevent them.
    """

    def __init__(
        self,
        *,
        propose: Propose,
        failing: FindFailures,
        proposals: Proposals,
        in_use: LibraryInUse,
        writers: Callable[[], Sequence[SkillWriter]],
        quiet: QuietRunner,
        clock: Clock,
        ids: Ids,
        rule: EvolveRule,
    ) -> None:
        """The `writers` draft skills; they are asked in order until one finds a rule."""
        self._failing = failing
        self._proposals = proposals
        self._rule = rule
        self._making = MakeCandidate(
            propose=propose,
            failing=failing,
            proposals=proposals,
            in_use=in_use,
            writers=writers,
            quiet=quiet,
            clock=clock,
            ids=ids,
            rule=rule,
        )

    async def step(
        self,
        origins: Collection[ProposalOrigin] = frozenset(ProposalOrigin),
        *,
        hurry: bool = False,
    ) -> list[Proposal]:
        """Have writers (models or programs) draft a skill from every group of similar failed
        answers that is large enough or has a rule stated by the user, and return the proposals
        made.

        With `hurry` sets that wait for another try after a writer's failure are included. Raises
        LullError if nothing was made and a writer failed, now or in an earlier step, as long as
        failures wait for that writer.
        """
        made: list[Proposal] = []
        # In a thread, because every failure is compared with every other.
        sets = await asyncio.to_thread(
            lambda: failure_sets(self._failing.all(), alike=self._rule.alike)
        )
        self._making.forget_all_but(sets)
        full: LullError | None = None
        for found in sets:
            if self._waiting_for_user(found.client) >= self._rule.most_open:
                full = _too_many(found.client, self._rule.most_open)
                continue
            try:
                proposal = await self._making.make(found, origins, hurry=hurry)
            except UpstreamDown:
                break  # the writer would not answer for the next sets either
            except LullError:
                continue
            if proposal is not None:
                made.append(proposal)
        trouble = self._making.trouble(origins)
        if full is not None:
            trouble.append(full)
        if trouble and not made:
            raise trouble[-1]
        return made

    def _waiting_for_user(self, client: str) -> int:
        """Number of a client's proposals to read, without quarantined and stale ones."""
        return sum(
            p.key.client == client and p.status in TO_READ for p in self._proposals.undecided()
        )


def _too_many(client: str, most: int) -> LullError:
    whose = f" of the chat app {client}" if client else ""
    return LullError(
        f"{most} suggestions{whose} are waiting for you, so no more are made.",
        hint="`lull review` goes through them.",
    )
