"""Disables skills that do harm, and proposes to the user to disable skills that are no longer
needed.

Disabling a harmful skill is the one change that Lull makes without asking, because waiting would do
more harm. The user is told and can enable the skill again; then Lull only proposes to disable it.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import datetime

from lull.core.errors import LullError
from lull.core.ports import Clock, Ids, ProblemReporter
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.skills.skill import ChangeKind, Skill
from lull.loops.skills.approve import Approve
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)


class RetireSkills:
    """Disables skills (instruction texts) that make answers worse, or proposes to the user to
    disable them.
    """

    def __init__(
        self,
        *,
        skills: Skills,
        proposals: Proposals,
        approve: Approve,
        clock: Clock,
        ids: Ids,
        problems: ProblemReporter,
    ) -> None:
        """`problems` tells the user that a skill was retired, with the reason."""
        self._skills = skills
        self._proposals = proposals
        self._approve = approve
        self._clock = clock
        self._ids = ids
        self._problems = problems

    def now(self) -> datetime:
        """Return the current time, up to which the days are counted that a skill was not needed."""
        return self._clock.now()

    def active_since(self, skill: Skill) -> datetime:
        """Return when the skill was last changed, switched on or switched off."""
        at = {generation.number: generation.at for generation in self._skills.generations()}
        return at[skill.since]

    async def retire(self, skill: Skill, why: str) -> None:
        """Disable a skill at once and tell the user `why`.

        If the user enabled it again after an earlier retirement, disabling it is only proposed.
        """
        if self._brought_back(skill):
            await self.propose(skill, why)
            return
        await self._approve.retire(skill.key, why=why)
        log.info("skill %s was retired: %s", skill.name, why)
        self._problems.set_or_clear(f"retired {skill.name}", _retired(skill, why))

    def _brought_back(self, skill: Skill) -> bool:
        """Whether this text was retired before and brought back; then the user is asked."""
        states = self._skills.history(skill.key)
        return any(s.change == ChangeKind.RETIRE and s.sha256 == skill.sha256 for s in states)

    async def propose(self, skill: Skill, why: str) -> None:
        """Propose to the user to disable a skill, unless that was proposed before for the same text
        of this skill.
        """
        earlier = self._proposals.of_skill(skill.key)
        if any(p.kind is ProposalKind.RETIRE and p.base_sha256 == skill.sha256 for p in earlier):
            return
        data = self._skills.folders.data(skill.sha256)
        now = self._clock.now()
        proposal = Proposal(
            id=self._ids.new("prop"),
            kind=ProposalKind.RETIRE,
            key=skill.key,
            base_sha256=skill.sha256,
            sha256=hashlib.sha256(data).hexdigest(),
            text=self._skills.folders.text(skill.sha256),
            status=ProposalStatus.UNPROVED,
            origin=ProposalOrigin.HOLDOUT,
            made_at=now,
            changed_at=now,
            reason=why,
        )
        await self._proposals.add(proposal, data)


def _retired(skill: Skill, why: str) -> LullError:
    return LullError(
        f"The skill '{skill.name}' was removed: {why}.",
        hint=f"`lull skills enable {skill.name}` brings it back.",
    )
