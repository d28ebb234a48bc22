"""Scores sampled answers to stored requests, in [0, 1], as rewards for training.

Sources are trusted in the same order as for recorded turns: first verifiers (the request's format,
the user's approved checks, and wishes), then the judge model, whose verdict is calibrated on the
user's labels and ignored where it is too uncertain. A wish comes from a correction of that request
or a similar one, never from one that taught a skill: prompt and weights must not learn from the
same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.chat.messages import Completion, Finish, Message, Role, text_message
from lull.core.feedback.calibration import Estimate, agreement, may_train_on_judge
from lull.core.feedback.judge import ChosenJudge, Judge, JudgeQuestion, QuestionKind
from lull.core.feedback.reward import GREY, Source, majority
from lull.core.skills.similarity import subject_similarity
from lull.core.skills.skill import Skill
from lull.loops.chat.current_selection import without_skill_text
from lull.loops.feedback.reward_book import RewardBook, verdicts
from lull.loops.feedback.verify import Verifier, Wish
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals

MOST_JUDGED = 2000
"""Most recorded turns, newest first, on which the judge model's accuracy is measured."""
ALIKE = 0.35
"""Least similarity (0 to 1) of a request to one that the user corrected, at which the judge model
is shown the correction.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWorth:
    """A sampled answer's reward, and what gave it: a verifier (a program) or the judge model."""

    reward: float
    by: str


def judge_agreement(rewards: Rewards) -> Estimate:
    """Estimate how often the judge model and verifiers (programs) agree on whether the same answer
    is good.
    """
    pairs = []
    for row in rewards.judged(limit=MOST_JUDGED):
        said = verdicts(row)
        if Source.VERIFIABLE in said and Source.JUDGE in said:
            pairs.append((said[Source.JUDGE], said[Source.VERIFIABLE]))
    return agreement(pairs)


def may_train(source: Source, *, judge_may_train: bool) -> bool:
    """Whether rewards from this kind of source (program, user or judge model) may be used to train
    weights.
    """
    return source is not Source.JUDGE or judge_may_train


class RewardAnswers:
    """Scores sampled answers for training, and tells which requests can be scored."""

    def __init__(
        self,
        *,
        rewards: Rewards,
        feedback: FeedbackRows,
        proposals: Proposals,
        verifier: Verifier,
        judges: ChosenJudge,
        book: RewardBook,
    ) -> None:
        """Where the only judge model is the model in training, `judges` has none."""
        self._rewards = rewards
        self._feedback = feedback
        self._proposals = proposals
        self._verifier = verifier
        self._judges = judges
        self._book = book

    def is_about(self, served: ServedTurn, skill: Skill) -> bool:
        """Whether a request needed this skill (an instruction text), as far as can be told.

        Requests that merely had it in their prompt teach nothing about it.
        """
        return bool(
            self._verifier.skills_about(
                served.turn.model,
                {skill.name: skill},
                asked=served.asked,
                answer=served.turn.answer.text,
            )
        )

    def judge_may_train(self) -> tuple[bool, str]:
        """Return whether the judge model's scores are reliable enough to train weights on, and a
        text that says why.
        """
        return may_train_on_judge(judge_agreement(self._rewards))

    # Wishes

    def wishes(self, recent: Sequence[ServedTurn]) -> tuple[Wish, ...]:
        """Return what the user wanted to be different about these recorded answers, as said in
        replies to them, oldest first.

        Wishes from which a skill (an instruction text) was made or proposed are left out.
        """
        taught = self._taught()
        said = []
        read = self._feedback.about([one.turn.id for one in recent])
        for one in sorted(recent, key=lambda served: served.turn.id):
            feedback = read.get(one.turn.id)
            if feedback is None or one.turn.id in taught or feedback.turn in taught:
                continue
            wish = self._verifier.wish_of(feedback, about=one.asked)
            said.append(wish._replace(trajectory=one.turn.trajectory, at=one.turn.at))
        return tuple(wish for wish in said if wish.words)

    def _taught(self) -> set[str]:
        taught = set(self._proposals.support())
        for proposal in self._proposals.undecided(everything=True):
            taught.update(proposal.failures, proposal.wish_turns)
        return taught

    def applicable_wish(self, served: ServedTurn, wishes: Sequence[Wish]) -> Wish | None:
        """Return the user's wish (a text that says how answers should be) by which answers to this
        request are scored; None if no wish applies.
        """
        model = served.turn.model
        by_program = self._verifier.wish_for(model, wishes=wishes, asked=served.asked)
        if by_program is not None or self._verifier.is_exact(model):
            return by_program
        return _said_of(served, wishes)

    def violates_wish(self, model: str, wishes: Sequence[Wish], *, asked: str, answer: str) -> bool:
        """Whether an answer violates one of these wishes of the user about how answers should
        be.
        """
        said = self._verifier.check_wish(model, wishes=wishes, asked=asked, answer=answer)
        return any(signal.value < 0 for signal in said)

    # Scoring

    def can_score(
        self, served: ServedTurn, skills: Sequence[Skill], wishes: Sequence[Wish]
    ) -> bool:
        """Whether answers to this request can be scored, by a verifier (a program) or the judge
        model.
        """
        if self._checked(served, skills, wishes, text_message(Role.ASSISTANT, "")) is not None:
            return True
        if self._verifier.is_exact(served.turn.model):
            return False  # for a language with one right answer the judge is not asked
        return self._judges.judge() is not None and self.judge_may_train()[0]

    async def score_answer(
        self,
        served: ServedTurn,
        skills: Sequence[Skill],
        wishes: Sequence[Wish],
        answer: Completion,
    ) -> AnswerWorth | None:
        """Score a sampled answer; return its reward and the source that gave it, None if it cannot
        be scored or the score is too uncertain. Raises UpstreamDown.
        """
        if answer.finish is not Finish.STOP:  # the answer was cut off
            return None
        checked = self._checked(served, skills, wishes, answer.message)
        if checked is not None or self._verifier.is_exact(served.turn.model):
            return checked
        judge = self._judges.judge()
        return None if judge is None else await self._judged(judge, served, wishes, answer.message)

    def still_good(
        self, served: ServedTurn, skills: Sequence[Skill], wishes: Sequence[Wish]
    ) -> bool:
        """Whether a recorded answer passes the programs that check whether it follows these skills
        (instruction texts), and fulfils these wishes of the user.
        """
        checked = self._checked(served, skills, wishes, served.turn.answer)
        return checked is None or checked.reward > GREY[1]

    def _checked(
        self, served: ServedTurn, skills: Sequence[Skill], wishes: Sequence[Wish], answer: Message
    ) -> AnswerWorth | None:
        """The worst verdict of all verifiers; None without one."""
        turn = served.turn
        said = [
            *(() if answer.tool_calls else self._verifier.check_format(turn.format, answer.text)),
            *self._verifier.run_skill_checks([skill.sha256 for skill in skills], answer.text),
            *self._verifier.check_wish(
                turn.model, wishes=wishes, asked=served.asked, answer=answer.text
            ),
        ]
        if not said:
            return None
        worst = min(signal.value for signal in said)
        kinds = "+".join(dict.fromkeys(signal.kind.value for signal in said))
        return AnswerWorth(reward=(worst + 1.0) / 2.0, by=f"verifier: {kinds}")

    async def _judged(
        self, judge: Judge, served: ServedTurn, wishes: Sequence[Wish], answer: Message
    ) -> AnswerWorth | None:
        wish = _said_of(served, wishes)
        question = JudgeQuestion(
            asks=QuestionKind.WISH if wish is not None else QuestionKind.TURN,
            messages=tuple(without_skill_text(message) for message in served.turn.request),
            answer=answer,
            wish=wish.words if wish is not None else "",
        )
        verdict = majority(await judge.votes(question))
        if verdict is None:
            return None
        p_good = self._book.calibration.p_good(float(verdict), Source.JUDGE)
        if GREY[0] <= p_good <= GREY[1]:
            return None
        return AnswerWorth(reward=p_good, by=f"judge: {judge.version}")


def _said_of(served: ServedTurn, wishes: Sequence[Wish]) -> Wish | None:
    """Return the newest wish about a similar request, for the judge."""
    for wish in reversed(wishes):
        if wish.about == served.asked or subject_similarity(wish.about, served.asked) >= ALIKE:
            return wish
    return None
