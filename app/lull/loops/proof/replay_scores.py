"""Scores the answers of replays: by a program where one can decide, else by a judge model, which
never sees the tested skill.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.core.chat.messages import Completion, Message, Role, text_message
from lull.core.checks.check import CheckSet
from lull.core.checks.reading import parse_all
from lull.core.errors import SkillError
from lull.core.feedback.judge import ChosenJudge, JudgeQuestion, QuestionKind
from lull.core.feedback.reward import majority
from lull.core.proof.pairs import PairPart
from lull.core.proof.proposal import Proposal, ProposalOrigin
from lull.loops.feedback.verify import Verifier
from lull.store.feedback.reward_rows import ServedTurn


class ReplayScores:
    """Scores answers to past requests that were generated again, with and without a proposed skill
    in the prompt.
    """

    def __init__(self, verifier: Verifier, judges: ChosenJudge) -> None:
        self._verifier = verifier
        self._judges = judges

    async def score(
        self, proposal: Proposal, served: ServedTurn, part: PairPart, answer: Completion
    ) -> tuple[float, str] | None:
        """Score a new answer to a past request; return (score in [0, 1], name of the check or judge
        model that gave it), or None if none can decide.
        """
        if not answer.complete:
            return None
        if (said := self.by_program(proposal, served, part, answer)) is not None:
            return said
        judge = self._judges.judge()
        if judge is None:
            return None
        question = _question(proposal, served, part, answer.message)
        verdict = majority(await judge.votes(question))
        return ((verdict + 1) / 2, f"judge:{judge.version}") if verdict is not None else None

    def by_program(
        self, proposal: Proposal, served: ServedTurn, part: PairPart, answer: Completion
    ) -> tuple[float, str] | None:
        """Score a new answer to a past request as `score` does, but without asking a model; None if
        no check can decide.
        """
        if not answer.complete:
            return None
        said = self._verified(proposal, served, part, answer.message.text)
        return said or self._held_to(proposal, served, answer.message)

    def _verified(
        self, proposal: Proposal, served: ServedTurn, part: PairPart, answer: str
    ) -> tuple[float, str] | None:
        model, asked = served.turn.model, served.asked
        does = self._fulfils(proposal, model, asked, answer)
        if part is PairPart.SUCCESS:
            if not self._verifier.is_exact(model) or does is not None:
                return None  # in an exact language the user has since said something on this
            same = answer.strip() == served.turn.answer.text.strip()
            return float(same), "the accepted answer, word for word"
        if does is None:
            return None
        return float(does), f"verifier:{model if self._verifier.is_exact(model) else 'check'}"

    def _fulfils(self, proposal: Proposal, model: str, asked: str, answer: str) -> bool | None:
        return self._verifier.fulfils(
            model,
            wish=proposal.wish,
            asked=asked,
            answer=answer,
            check=_own_checks(proposal),
        )

    def _held_to(
        self, proposal: Proposal, served: ServedTurn, answer: Message
    ) -> tuple[float, str] | None:
        """The worst verdict of the requested format and the checks of the turn's other skills."""
        turn = served.turn
        others = [skill.sha256 for skill in turn.skills if skill.name != proposal.key.name]
        shape = () if answer.tool_calls else self._verifier.check_format(turn.format, answer.text)
        said = (*shape, *self._verifier.run_skill_checks(others, answer.text))
        if not said:
            return None
        kinds = "+".join(dict.fromkeys(signal.kind.value for signal in said))
        return (min(signal.value for signal in said) + 1) / 2, f"verifier:{kinds}"

    def enough(
        self, proposal: Proposal, served: ServedTurn, part: PairPart
    ) -> Callable[[str], bool] | None:
        """Return the function that tells from the beginning of a new answer whether the proposal's
        own check has decided by then; None if that check does not score the answer.
        """
        if part is PairPart.SUCCESS or self._verifier.is_exact(served.turn.model):
            return None
        checks = _own_checks(proposal)
        return None if checks is None else lambda begun: self._verifier.is_settled(checks, begun)

    def can_score(self, proposal: Proposal, served: ServedTurn, part: PairPart) -> bool:
        """Whether new answers to this past request can be scored by a program or a judge model,
        without asking the user.
        """
        model, asked = served.turn.model, served.asked
        if self._verifier.is_exact(model):
            does = self._fulfils(proposal, model, asked, "")
            return does is None if part is PairPart.SUCCESS else does is not None
        if _own_checks(proposal) is not None and part is not PairPart.SUCCESS:
            return True
        if self._held_to(proposal, served, text_message(Role.ASSISTANT, "any")) is not None:
            return True
        if self._judges.judge() is None:
            return False
        return part is PairPart.SUCCESS or bool(proposal.wish)


def _question(
    proposal: Proposal, served: ServedTurn, part: PairPart, answer: Message
) -> JudgeQuestion:
    turn = served.turn
    if part is PairPart.SUCCESS:
        return JudgeQuestion(
            asks=QuestionKind.PAIR,
            messages=turn.request,
            answer=answer,
            reference=turn.answer.text,
        )
    return JudgeQuestion(
        asks=QuestionKind.WISH, messages=turn.request, answer=answer, wish=proposal.wish
    )


def _own_checks(proposal: Proposal) -> CheckSet | None:
    """Return the proposal's own checks if they may score it.

    Only checks made from the user's words may; a model that wrote the skill and its check would
    examine itself. And only those of the whole rule: of two answers, those of a part could tell
    that both break the rule, and never that one keeps it.
    """
    if not proposal.check or proposal.origin is not ProposalOrigin.EXTRACTIVE:
        return None
    try:
        checks = parse_all(proposal.check)
    except SkillError:
        return None  # it is told where the check is shown, and never used
    return checks if checks.whole else None
