"""What a sampled answer to a stored request is worth, in [0, 1].

The order of trust is that of the recorded turns: what can be checked (the request's format, checks
that the user approved, the built-in model's verifier held to what the user said they wanted), else
the judge, whose word is calibrated on the user's own labels and masked where it is too unsure. The
wish comes from a correction of that request or of one like it, never from what taught a skill:
the prompt and the weights must not be taught by the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.core.calibration import Calibration, Estimate, agreement, may_train_on_judge
from lull.core.likeness import alike
from lull.core.messages import Completion, Finish, Message, Role, text_message
from lull.core.ports import Asks, Judge, Question
from lull.core.reward import GREY, Source, majority
from lull.core.skill import Skill
from lull.loops.score import verdicts
from lull.loops.today import clean
from lull.loops.verify import Verifier, Wish
from lull.store.feedback import FeedbackRows
from lull.store.proposals import Proposals
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards

LOOKED_AT = 2000
"""Newest turns on which the judge voted, and among which wishes are sought."""
ALIKE = 0.35
"""Least likeness of a request to the corrected one for a judge to be told of its wish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    reward: float
    by: str


def judge_agrees(rewards: Rewards) -> Estimate:
    """How often the judge says what a check says of the same turn."""
    pairs = []
    for row in rewards.judged(limit=LOOKED_AT):
        said = verdicts(row)
        if Source.VERIFIABLE in said and Source.JUDGE in said:
            pairs.append((said[Source.JUDGE], said[Source.VERIFIABLE]))
    return agreement(pairs)


def may_train(source: Source, *, judge_trains: bool) -> bool:
    """Whether labels of this source may change weights."""
    return source is not Source.JUDGE or judge_trains


class Examine:
    def __init__(
        self,
        *,
        rewards: Rewards,
        heard: FeedbackRows,
        proposals: Proposals,
        verifier: Verifier,
        judge: Callable[[], Judge | None],
        calibration: Callable[[], Calibration],
    ) -> None:
        """`judge`: None where there is none but the model that is to be trained itself."""
        self._rewards = rewards
        self._heard = heard
        self._proposals = proposals
        self._verifier = verifier
        self._judge = judge
        self._calibration = calibration

    def is_about(self, served: Served, skill: Skill) -> bool:
        """Whether the request wanted the skill, as far as anybody can tell: of what merely had it
        in its prompt, beside others, nothing of it can be learned."""
        return bool(
            self._verifier.about(
                served.turn.model,
                {skill.name: skill},
                asked=served.asked,
                answer=served.turn.answer.text,
            )
        )

    def judge_trains(self) -> tuple[bool, str]:
        """Whether the judge's labels may change weights, and why."""
        return may_train_on_judge(judge_agrees(self._rewards))

    # What the user wants

    def wishes(self, recent: Sequence[Served]) -> tuple[Wish, ...]:
        """What the user said when one of these answers was wrong, oldest first. Left out is what
        taught a skill, and what the user did not want as one."""
        taught = self._taught()
        said = []
        heard = self._heard.about([one.turn.id for one in recent])
        for one in sorted(recent, key=lambda served: served.turn.id):
            feedback = heard.get(one.turn.id)
            if feedback is None or one.turn.id in taught or feedback.turn in taught:
                continue
            wish = self._verifier.wish_of(feedback, about=one.asked)
            said.append(wish._replace(trajectory=one.turn.trajectory, at=one.turn.at))
        return tuple(wish for wish in said if wish.words)

    def _taught(self) -> set[str]:
        taught = set(self._proposals.support())
        for proposal in self._proposals.standing(everything=True):
            taught.update(proposal.failures, proposal.wish_turns)
        return taught

    def held_to(self, served: Served, wishes: Sequence[Wish]) -> Wish | None:
        """The words by which answers to this request are scored; None where it is by no words."""
        model = served.turn.model
        by_program = self._verifier.wish_for(model, wishes=wishes, asked=served.asked)
        if by_program is not None or self._verifier.is_exact(model):
            return by_program
        return _said_of(served, wishes)

    def speaks_against(
        self, model: str, wishes: Sequence[Wish], *, asked: str, answer: str
    ) -> bool:
        """Whether the user has wished for something else than this answer."""
        said = self._verifier.as_wished(model, wishes=wishes, asked=asked, answer=answer)
        return any(signal.value < 0 for signal in said)

    # Scoring

    def can_score(self, served: Served, skills: Sequence[Skill], wishes: Sequence[Wish]) -> bool:
        """Whether anybody could tell good answers to this request from bad ones."""
        if self._checked(served, skills, wishes, text_message(Role.ASSISTANT, "")) is not None:
            return True
        if self._verifier.is_exact(served.turn.model):
            return False  # its language has one right answer, and no judge knows it better
        return self._judge() is not None and self.judge_trains()[0]

    async def worth(
        self,
        served: Served,
        skills: Sequence[Skill],
        wishes: Sequence[Wish],
        answer: Completion,
    ) -> Worth | None:
        """None: nobody can tell, or it is too unsure to learn from. Raises UpstreamDown."""
        if answer.finish is not Finish.STOP:  # what was cut off was not said to its end
            return None
        checked = self._checked(served, skills, wishes, answer.message)
        if checked is not None or self._verifier.is_exact(served.turn.model):
            return checked
        judge = self._judge()
        return None if judge is None else await self._judged(judge, served, wishes, answer.message)

    def still_good(self, served: Served, skills: Sequence[Skill], wishes: Sequence[Wish]) -> bool:
        """Whether nothing that can be checked today speaks against the recorded answer: the user
        may have changed their mind since it was called good."""
        checked = self._checked(served, skills, wishes, served.turn.answer)
        return checked is None or checked.reward > GREY[1]

    def _checked(
        self, served: Served, skills: Sequence[Skill], wishes: Sequence[Wish], answer: Message
    ) -> Worth | None:
        """By what needs no model: the worst verdict."""
        turn = served.turn
        said = [
            *(() if answer.tool_calls else self._verifier.in_format(turn.format, answer.text)),
            *self._verifier.checked([skill.sha256 for skill in skills], answer.text),
            *self._verifier.as_wished(
                turn.model, wishes=wishes, asked=served.asked, answer=answer.text
            ),
        ]
        if not said:
            return None
        worst = min(signal.value for signal in said)
        kinds = "+".join(dict.fromkeys(signal.kind.value for signal in said))
        return Worth(reward=(worst + 1.0) / 2.0, by=f"verifier: {kinds}")

    async def _judged(
        self, judge: Judge, served: Served, wishes: Sequence[Wish], answer: Message
    ) -> Worth | None:
        wish = _said_of(served, wishes)
        question = Question(
            asks=Asks.WISH if wish is not None else Asks.TURN,
            messages=tuple(clean(message) for message in served.turn.request),
            answer=answer,
            wish=wish.words if wish is not None else "",
        )
        verdict = majority(await judge.votes(question))
        if verdict is None:
            return None
        p_good = self._calibration().p_good(float(verdict), Source.JUDGE)
        if GREY[0] <= p_good <= GREY[1]:
            return None
        return Worth(reward=p_good, by=f"judge: {judge.version}")


def _said_of(served: Served, wishes: Sequence[Wish]) -> Wish | None:
    """For a judge: the newest words said of a request like this one."""
    for wish in reversed(wishes):
        if wish.about == served.asked or alike(wish.about, served.asked) >= ALIKE:
            return wish
    return None
