"""Finds the past requests that were answered better with a proposed skill in its proof. When the
skill is approved, they are remembered as requests that it is for.
"""

from __future__ import annotations

from lull.contract.chat_headers import WINDOW_CLIENT
from lull.core.proof.pairs import PairPart
from lull.core.proof.proposal import Proposal
from lull.loops.feedback.credit_wins import Credit
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals


class ProvedRequests:
    """Finds the past requests that a proposed skill (an instruction text) is for: those that were
    answered better with it in its proof.
    """

    def __init__(self, proposals: Proposals, rewards: Rewards, credit: Credit) -> None:
        """`credit` saves a request as an example of what a skill is useful for."""
        self._proposals = proposals
        self._rewards = rewards
        self._credit = credit

    def won_requests(self, proposal: Proposal) -> list[str]:
        """Return the past requests, as text, that were answered better with the proposed skill than
        without it in its proof. Blocking.
        """
        won = self._rewards.served_briefly(self._won_turns(proposal))
        return [served.asked for served in won]

    def asker(self, proposal: Proposal) -> str:
        """Return the client whose request taught the proposed skill; Lull's own window if there is
        none. Blocking.
        """
        taught = self._rewards.served(proposal.failures[:1])
        return taught[0].client if taught else WINDOW_CLIENT

    async def remember(self, proposal: Proposal) -> bool:
        """Store the past requests that were answered better with a proposed skill in its proof, as
        examples of what it is for; called when the skill is approved. Return False if the memory
        of past requests is not open yet.
        """
        for served in self._rewards.served(self._won_turns(proposal)):
            if (
                served.may_be_an_example
                and await self._credit(served, [proposal.key.name]) is False
            ):
                return False
        return True

    def _won_turns(self, proposal: Proposal) -> list[str]:
        pairs = self._proposals.pairs(proposal.id)
        wins = (p.request for p in pairs if p.part is not PairPart.SUCCESS and p.won)
        return list(dict.fromkeys(wins))
