"""Finds the failed answers from which a new skill may be drafted.

They are answers that went wrong, or after which the user stated a wish, and that would still be
wrong under the skills that are active today.
"""

from __future__ import annotations

from lull.core.feedback.feedback import Feedback
from lull.core.feedback.reward import GREY, Source
from lull.core.proof.proposal import ProposalStatus
from lull.core.provenance.authorship import after_last_answer, typed_in
from lull.core.skills.failures import Failure, FailureSet
from lull.loops.chat.current_selection import CurrentSelection, without_skill_text
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals

MOST_FAILURES = 300
"""Maximum failures, newest first, that are grouped by similarity."""


class FindFailures:
    """Finds failed answers, by their reward and by what users said after them, and leaves out those
    from which a skill was proposed already.
    """

    def __init__(
        self,
        *,
        rewards: Rewards,
        feedback: FeedbackRows,
        proposals: Proposals,
        current_selection: CurrentSelection,
    ) -> None:
        self._rewards = rewards
        self._feedback = feedback
        self._proposals = proposals
        self._current_selection = current_selection

    def all(self) -> list[Failure]:
        """Return the failed answers from which a skill may be drafted, newest first. Today's skills
        would not prevent these failures, or the user stated a wish after them.
        """
        served, findings = self._turns()
        found = [
            self._failure(one, findings.get(one.turn.id))
            for one in served
            if self._counts(one, findings.get(one.turn.id))
        ]
        used = self._used_but_for_words()
        return [one for one in found if one.said or one.turn not in used]

    def still_open(self, found: FailureSet) -> bool:
        """Whether these failed answers can still be made into a proposal; False if another writer
        or the user has used any of them for one meanwhile.
        """
        left = {one.turn.id for one in self._turns()[0]}
        if not found.wish:
            left -= self._used_but_for_words()
        return left.issuperset(found.turns)

    def _turns(self) -> tuple[list[ServedTurn], dict[str, Feedback]]:
        """Failed turns and turns with a lasting wish, newest first, and the feedback on them."""
        failed = self._rewards.failures(below=GREY[0], limit=MOST_FAILURES)
        lasting = self._feedback.lasting_wishes(limit=MOST_FAILURES)
        turns = {one.turn.id: one for one in failed}
        spoken = [f.before for f in lasting if f.before not in turns]
        turns |= {one.turn.id: one for one in self._rewards.served(spoken) if one.turn.answered}
        findings = self._feedback.about([*turns])
        # The same words teach only once: leave out wishes that already led to a proposal.
        open_wishes = {f.turn for f in lasting}
        findings = {
            turn: f for turn, f in findings.items() if f.turn in open_wishes or not f.findings.lasts
        }
        newest_first = sorted(turns.values(), key=lambda one: one.turn.id, reverse=True)
        return newest_first, findings

    def _used_but_for_words(self) -> set[str]:
        """Turns already used in a proposal without a wish; they count again with a wish."""
        mute = [p for p in self._proposals.undecided() if not p.wish]
        quarantined = ProposalStatus.QUARANTINED
        return {turn for p in mute if p.status is not quarantined for turn in p.failures}

    def _counts(self, served: ServedTurn, feedback: Feedback | None) -> bool:
        """Whether a failure counts under today's skills.

        A failure without a skill that was held out does not count, but a stated wish does.
        """
        if feedback is not None and (feedback.findings.lasts or feedback.findings.corrects):
            said = next(iter(self._rewards.served_briefly([feedback.turn])), None)
            return self._current_selection.feedback_still_applies(served, said=said)
        return self._current_selection.selects_same_skills(served)

    def _failure(self, served: ServedTurn, feedback: Feedback | None) -> Failure:
        turn = served.turn
        spoke = feedback is not None and (feedback.findings.lasts or feedback.findings.corrects)
        words = self._words(feedback) if spoke or _judged_bad(served) else ""
        said = words if spoke else ""
        return Failure(
            turn=turn.id,
            trajectory=turn.trajectory,
            client=served.owner,
            model=turn.model,
            messages=tuple(without_skill_text(message) for message in turn.request),
            answer=without_skill_text(turn.answer),
            said=said,
            said_turn=feedback.turn if feedback and said else "",
            findings=feedback.findings if feedback and said else None,
            unheard="" if spoke else words,
            unheard_turn=feedback.turn if feedback and words and not spoke else "",
        )

    def _words(self, feedback: Feedback | None) -> str:
        """What the user typed in the message that a reader has read."""
        following = self._rewards.served_briefly([feedback.turn]) if feedback else []
        return typed_in(after_last_answer(following[0].turn.request)) if following else ""


def _judged_bad(served: ServedTurn) -> bool:
    """Whether the judge model decided that the answer is bad. It had read what the user said next,
    so these words may be why.
    """
    reward = served.reward.reward
    return reward is not None and reward.source is Source.JUDGE and reward.value < 0
