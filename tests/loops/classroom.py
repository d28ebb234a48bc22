"""Test home with the loops that learn, on a real store; models, judge and writer are scripted.

`plays` holds a conversation and returns its turns. Tests then call the loops by hand, because the
service decides when they run.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import Completion, Message, Role, Sampling
from lull.core.checks.check import CheckSet
from lull.core.errors import LullError
from lull.core.feedback.calibration import Prior
from lull.core.feedback.judge import JudgeQuestion
from lull.core.feedback.ports import FeedbackReader
from lull.core.feedback.reward import Vote
from lull.core.feedback.rules import ScoreRule
from lull.core.proof.holdout import hashed_coin
from lull.core.proof.proposal import CHECK, Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.proof.rules import HoldoutRule, ProveRule
from lull.core.skills.ports import EvolverMaterial, SkillDraft
from lull.core.skills.rules import EvolveRule
from lull.core.skills.skill import Skill, SkillKey, SkillText
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.chat.known_models import KnownModels
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.feedback.ask_judge import AskJudge
from lull.loops.feedback.credit_wins import CreditWins
from lull.loops.feedback.first_hearing import FirstHearing
from lull.loops.feedback.hear import Hear
from lull.loops.feedback.reward_book import RewardBook
from lull.loops.feedback.score import Score
from lull.loops.feedback.standing_wishes import DecisionsOnWishes, StandingWishes
from lull.loops.feedback.verify import Reads, Verifier
from lull.loops.proof.compare import Compare
from lull.loops.proof.holdout import Holdout
from lull.loops.proof.measure_use import MeasureUse
from lull.loops.proof.measured_skills import UseEvidence
from lull.loops.proof.proof_ground import ProofGround
from lull.loops.proof.prove import Prove
from lull.loops.proof.replay import Replay, ReplayTarget
from lull.loops.proof.retire_skills import RetireSkills
from lull.loops.proof.skill_coins import SkillCoins
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.evolve import Evolve
from lull.loops.skills.find_failures import FindFailures
from lull.loops.skills.make_candidate import SkillWriter
from lull.loops.skills.propose import Propose
from lull.loops.skills.review import Review
from lull.loops.skills.write_rules import ProposesCheck, RuleWriter
from lull.loops.training.eligible import Eligible
from lull.pocket import merging
from lull.pocket.writer import PocketWriter
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.chat.turn_rows import Label
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import RewardRow, ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseReplays
from lull.store.skills.skill_checks import ApprovedChecks
from lull.store.skills.skill_md import parse as parse_skill
from lull.store.skills.skill_md import render
from lull.store.sqlite.database import Database
from tests.building import ANYBODY, FACTS, Home, answer, chat, user
from tests.doubles.fakes import FakeChatModel, JudgeNow, ToldProblems
from tests.doubles.word_reader import WordReader
from tests.exact import EXACT

T = TypeVar("T")
MODEL = "llama3.2"
"""A model whose answers no verifier can check, so that a judge scores them."""
CHECKED = "checked"
"""A model with a verifier that understands wishes for bars."""
STUMBLING_BLOCK = "at this the verifier falls"
GOOD, BAD, NEITHER = (Vote(score=score, reason="so it is") for score in (1, -1, 0))
MENU = SkillText(
    name="menu-style",
    description="When a menu is asked for.",
    body="When you write a menu, join the dishes with bars.",
)


def reads_bars(wish: str, asked: str, said: str) -> bool | None:
    """A verifier: if bars are wished for, a menu must have one; None for anything else."""
    if said == STUMBLING_BLOCK:
        raise RuntimeError("a fault in a verifier")
    if "bars" not in wish or "menu" not in asked:
        return None
    return "|" in said


@dataclass
class ScriptedJudge:
    """Implements core.ports.Judge: votes as `says` does, and records each question."""

    says: Callable[[JudgeQuestion], Sequence[Vote]] = lambda _: (GOOD,) * 3
    version: str = "judge-1"
    asked: list[JudgeQuestion] = field(default_factory=list)
    away: LullError | None = None
    meanwhile: Callable[[], Awaitable[object]] | None = None
    """Runs while the judge thinks."""

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        self.asked.append(question)
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.away is not None:
            raise self.away
        return tuple(self.says(question))


@dataclass
class ScriptedWriter:
    """Implements core.ports.Evolver: gives drafts and errors in turn, and repeats the last one."""

    answers: list[SkillText | SkillDraft | LullError] = field(default_factory=list)
    name: str = "writer-1"
    seen: list[EvolverMaterial] = field(default_factory=list)
    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def draft(self, material: EvolverMaterial) -> SkillDraft | None:
        self.seen.append(material)
        if self.meanwhile is not None:
            await self.meanwhile()
        said = self.answers[0]
        self.answers = self.answers[1:] or self.answers
        if isinstance(said, LullError):
            raise said
        return said if isinstance(said, SkillDraft) else SkillDraft(text=said, answer=repr(said))


@dataclass
class AlwaysQuiet:
    """Implements core.ports.Quiet: all work runs at once."""

    hurried: list[bool] = field(default_factory=list)

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        self.hurried.append(hurry)
        return await work()


@dataclass
class Classroom(Home):
    scoring: ScoreRule = field(default_factory=ScoreRule)
    evolving: EvolveRule = field(default_factory=EvolveRule)
    proving: ProveRule = field(default_factory=ProveRule)
    holdout_rule: HoldoutRule = field(default_factory=HoldoutRule)
    judge: ScriptedJudge | None = None
    judge_belief: Prior | None = None
    writer: ScriptedWriter | None = None
    hears_at_once: bool = True
    """Whether what users say is read while their turns are scored."""
    reader: FeedbackReader | None = None
    """Reads later what was not read while the turn was scored."""
    check_of: ProposesCheck = lambda *_: ""
    """Finds the check that belongs to a rule."""
    chats: FakeChatModel = field(default_factory=FakeChatModel)
    """The chat model that answers every replay."""
    stages: Callable[[str], ReplayTarget | None] | None = None
    facts: Callable[[str], ModelFacts | None] = lambda _: FACTS
    with_first: list[bool] = field(default_factory=list)
    """Whether the answer with the skill comes first, for each comparison in turn; later never."""
    coin: float = 0.99
    """The random number of every decision about an audit."""
    credited: list[tuple[str, list[str]]] = field(default_factory=list)
    may_credit: bool = True
    went_without: list[str] = field(default_factory=list)
    """Turns that were recorded as having wanted no skill."""
    told_problems: ToldProblems = field(default_factory=ToldProblems)
    assignments_of: Callable[[Database], HoldoutAssignments] = HoldoutAssignments

    @property
    def retired(self) -> list[tuple[str, str]]:
        """Each retired skill with what the user is told of it."""
        return [
            (key.removeprefix("retired "), str(error)) for key, error in self.told_problems.told
        ]

    def start(self) -> None:
        super().start()
        self.rewards, self.proposals = Rewards(self.database), Proposals(self.database)
        self.assignments, self.quiet = self.assignments_of(self.database), AlwaysQuiet()
        self.use_replays = UseReplays(self.database)
        self.holdout = Holdout(
            evidence=UseEvidence(assignments=self.assignments, replays=self.use_replays),
            coins=SkillCoins(coin=hashed_coin("a secret"), rule=lambda: self.holdout_rule),
            retiring=RetireSkills(
                skills=self.skills,
                proposals=self.proposals,
                approve=self.approve,
                clock=self.clock,
                ids=self.ids,
                problems=self.told_problems,
            ),
            proposals=self.proposals,
            in_use=self,
            rule=lambda: self.holdout_rule,
        )
        self.serve = TurnOpener(
            trajectories=self.trajectories,
            skills=self.skills,
            in_use=self,
            index=self.index,
            clock=self.clock,
            ids=self.ids,
            rule=self.rule,
            models=KnownModels(within_s=0.02),
            holdout=self.holdout,
        )
        self.learn()

    def learn(self) -> None:
        self.current_selection = CurrentSelection(
            self.serve.skill_selector, in_use=self, facts=self.facts, kinds=self.index
        )
        self.verifier = verifier = Verifier(self.exact(), checks=self, tools=EXACT)
        self.feedback = FeedbackRows(self.database)
        self.hear = Hear(
            self.feedback,
            self.rewards,
            reader=lambda: self.reader,
            quiet=self.quiet,
            clock=self.clock,
        )
        self.book = self.new_book()
        self.ask_judge = AskJudge(
            self.rewards,
            book=self.book,
            judges=JudgeNow(lambda: self.judge),
            quiet=self.quiet,
            clock=self.clock,
            rule=self.scoring,
        )
        self.score = Score(
            self.rewards,
            book=self.book,
            verifier=verifier,
            hearing=FirstHearing(
                self.feedback,
                own=self.own_readers() if self.hears_at_once else {},
                clock=self.clock,
            ),
            wishes=StandingWishes(
                self.rewards,
                self.feedback,
                verifier,
                decisions=DecisionsOnWishes(self.proposals, self.skills, in_use=self),
            ),
        )
        propose = Propose(
            rewards=self.rewards,
            proposals=self.proposals,
            in_use=self,
            merging=merging,
            checks=self,
            clock=self.clock,
            ids=self.ids,
            rule=self.evolving,
        )
        self.evolve = Evolve(
            propose=propose,
            failing=FindFailures(
                rewards=self.rewards,
                feedback=self.feedback,
                proposals=self.proposals,
                current_selection=self.current_selection,
            ),
            proposals=self.proposals,
            in_use=self,
            writers=self._writers,
            quiet=self.quiet,
            clock=self.clock,
            ids=self.ids,
            rule=self.evolving,
        )
        self.replay = Replay(
            rewards=self.rewards,
            current_selection=self.current_selection,
            in_use=self,
            verifier=verifier,
            judges=JudgeNow(lambda: self.judge),
            warm=self.proving.warm,
        )
        self.prove = Prove(
            proposals=self.proposals,
            replay=self.replay,
            ground=ProofGround(
                proposals=self.proposals,
                in_use=self,
                judges=JudgeNow(lambda: self.judge),
                rule=self.proving,
            ),
            targets=self,
            quiet=self.quiet,
            clock=self.clock,
            rule=self.proving,
        )
        self.measure = MeasureUse(
            replays=self.use_replays,
            rewards=self.rewards,
            replay=self.replay,
            targets=self,
            quiet=self.quiet,
            clock=self.clock,
            slice_s=self.proving.slice_s,
            rule=lambda: self.holdout_rule,
        )
        self.compare = Compare(
            proposals=self.proposals,
            replay=self.replay,
            prove=self.prove,
            in_use=self,
            targets=self,
            quiet=self.quiet,
            clock=self.clock,
            ids=self.ids,
            toss=lambda: self.with_first.pop(0) if self.with_first else False,
        )
        self.review = Review(
            self.proposals,
            self.approve,
            EditProposal(self.proposals, self.rewards, in_use=self, clock=self.clock),
            in_use=self,
            proofs=self.prove,
            clock=self.clock,
        )
        self.eligible = Eligible(
            self.rewards, self.proposals, still=self.current_selection.selects_same_skills
        )

    def exact(self) -> Mapping[str, Reads]:
        """Verifiers of languages with one right answer, by model."""
        return {CHECKED: reads_bars}

    def own_readers(self) -> Mapping[str, FeedbackReader]:
        """The feedback readers that read while a turn is scored, by model."""
        return dict.fromkeys((MODEL, CHECKED), WordReader())

    def _writers(self) -> list[SkillWriter]:
        rules = RuleWriter(self.check_of)
        own = [
            SkillWriter(evolver=w, origin=ProposalOrigin.EXTRACTIVE)
            for w in (PocketWriter(), rules)
        ]
        if self.writer is None:
            return own
        return [*own, SkillWriter(evolver=self.writer, origin=ProposalOrigin.MODEL)]

    async def open_target(self, model: str) -> ReplayTarget | None:
        return self.stages(model) if self.stages else self.stage()

    def stage(self, **more: object) -> ReplayTarget:
        standing = ReplayTarget(
            chat=self.chats,
            system=FACTS.system,
            digest=FACTS.digest,
            engine="ollama",
            adapter=None,
            sampling=Sampling(),
        )
        return replace(standing, **more)  # type: ignore[arg-type]

    def new_book(self) -> RewardBook:
        """The book of rewards as a process that has just started makes it."""
        return RewardBook(
            self.rewards,
            crediting=CreditWins(
                self.rewards,
                verifier=self.verifier,
                in_use=self,
                current_selection=self.current_selection,
                credit=self._credit,
            ),
            clock=self.clock,
            coin=lambda: self.coin,
            rule=self.scoring,
            judge_belief=lambda: self.judge_belief,
        )

    def checks_of(self, sha256: str) -> CheckSet | None:
        return ApprovedChecks(self.skills.folders).checks_of(sha256)

    async def _credit(self, served: ServedTurn, skills: Sequence[str]) -> bool:
        if not self.may_credit:
            return False
        if skills:
            self.credited.append((served.turn.id, sorted(skills)))
        else:
            self.went_without.append(served.turn.id)
        return True

    # What a test plays

    async def plays(
        self,
        *said: str | Message | Completion,
        client: Client = ANYBODY,
        model: str = MODEL,
        **request: object,
    ) -> list[str]:
        """Hold a conversation of user messages and answers in turn; return its turns' ids when all
        of it is on disk. A message of another role stands before the user's next one.
        """
        history: list[Message] = []
        turns: list[str] = []
        for one in said:
            if isinstance(one, Message):
                history.append(one)
            elif isinstance(one, Completion) or (
                history and history[-1].role is not Role.ASSISTANT
            ):
                turns.append(await self._answered(history, one, client, model, request))
            else:
                history.append(user(one))
        await self.settled()
        return turns

    async def _answered(
        self,
        history: list[Message],
        said: str | Message | Completion,
        client: Client,
        model: str,
        request: dict[str, object],
    ) -> str:
        done = said if isinstance(said, Completion) else answer(str(said))
        asked = chat(*history, model=model, **request)
        serving = await self.open(*history, client=client, request=asked, facts=self.facts(model))
        self.serve.recorder.record(serving, done)
        self.clock.advance(1)
        history.append(done.message)
        return serving.stamp.turn

    async def settled(self) -> None:
        await asyncio.to_thread(self.database.flush)

    async def failed(self, *asked: str, said: str = "soup and bread", **more: object) -> list[str]:
        """Hold conversations of one turn each that the user rates bad; return these turns."""
        turns = []
        for one in asked:
            turns += await self.plays(one, said, **more)  # type: ignore[arg-type]
        for turn in turns:
            await self.rate(turn, Label.BAD)
        return turns

    async def rate(self, turn: str, label: Label | None) -> None:
        await self.trajectories.label(turn, label, at=self.clock.now())
        await self.score.read_new()
        await self.book.on_rating(turn)

    def known(self, turn: str) -> RewardRow:
        """The reward row of a turn; an empty one where nobody has scored it yet."""
        return self.rewards.of([turn]).get(turn) or RewardRow(turn=turn, reward=None)

    def served(self, turn: str) -> ServedTurn:
        (found,) = self.rewards.served([turn])
        return found

    # What a test stores

    async def proposes(
        self, text: SkillText = MENU, *, check: str = "", **more: object
    ) -> Proposal:
        """Store a candidate as `Evolve` does."""
        data = render(replace(text, metadata={CHECK: check} if check else {}))
        key = SkillKey(str(more.pop("client", "")), text.name)
        proposal = Proposal(
            id=self.ids.new("prop"),
            key=key,
            sha256=hashlib.sha256(data).hexdigest(),
            text=parse_skill(data, where="a test"),
            made_at=self.clock.now(),
            changed_at=self.clock.now(),
            **{
                "kind": ProposalKind.NEW,
                "base_sha256": "",
                "status": ProposalStatus.SCREENED,
                "origin": ProposalOrigin.MODEL,
                "model": MODEL,
                "wish": "join the dishes with bars",
                **more,
            },
        )
        await self.proposals.add(proposal, data)
        return proposal

    async def approved(self, text: SkillText = MENU, **more: object) -> Skill:
        """A skill that Lull wrote and the user has approved."""
        proposal = await self.proposes(text, **more)
        await self.review.approve(proposal.id)
        return self.library.get(proposal.key)

    def status(self, proposal: Proposal | str) -> ProposalStatus:
        return self.now(proposal).status

    def now(self, proposal: Proposal | str) -> Proposal:
        return self.proposals.get(proposal if isinstance(proposal, str) else proposal.id)

    def open_proposals(self) -> list[Proposal]:
        return self.proposals.undecided()


def menus(count: int, *, day: str = "Sunday") -> list[str]:
    """Requests for menus that are similar, no two the same."""
    dishes = ("soup", "fish", "rice", "bread", "beans", "pears", "leeks", "plums", "corn", "figs")
    return [f"Please write a menu for {day} with {dishes[n % 10]} {n}" for n in range(count)]
