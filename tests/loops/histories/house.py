"""The fast loop on a real store in this process; a test can let it die at any of its writes.

A process that is killed leaves its files as they are. This does the same: the database stops
answering at the write that the test names, before it or just after its commit, the files are copied
as they are then (the WAL among them, nothing closed), and a new house is opened on the copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lull.backends.chat.skill_writer import ModelEvolver
from lull.backends.retrieval.skill_index import WordIndex
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Sampling
from lull.core.checks.check import CheckSet
from lull.core.checks.reading import parse_all
from lull.core.feedback.rules import ScoreRule
from lull.core.proof.holdout import hashed_coin
from lull.core.proof.proposal import CHECK, ProposalOrigin
from lull.core.proof.rules import HoldoutRule, ProveRule
from lull.core.skills.rules import EvolveRule
from lull.core.skills.skill import Library
from lull.core.skills.skill_ranking import RetrievalRule
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
from lull.loops.feedback.verify import Verifier
from lull.loops.proof.holdout import Holdout
from lull.loops.proof.measured_skills import UseEvidence
from lull.loops.proof.proof_ground import ProofGround
from lull.loops.proof.prove import Prove
from lull.loops.proof.replay import Replay, ReplayTarget
from lull.loops.proof.retire_skills import RetireSkills
from lull.loops.proof.skill_coins import SkillCoins
from lull.loops.skills.approve import Approve
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.evolve import Evolve
from lull.loops.skills.find_failures import FindFailures
from lull.loops.skills.make_candidate import SkillWriter
from lull.loops.skills.propose import Propose
from lull.loops.skills.review import Review
from lull.loops.skills.write_rules import RuleWriter
from lull.loops.training.eligible import Eligible
from lull.pocket import merging, parsing
from lull.pocket.reader import PocketReader
from lull.pocket.writer import PocketWriter
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseReplays
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skills import Skills
from lull.store.sqlite.database import Database
from tests.building import KEY
from tests.doubles.fakes import FakeChatModel, FakeClock, FakeCoin, FakeIds, JudgeNow, ToldProblems
from tests.exact import EXACT
from tests.loops.histories.puppets import Ear, Policy, Referee, writer

T = TypeVar("T")
POCKET, LLAMA = "pocket", "llama3.2"
FACTS = {
    POCKET: ModelFacts(
        digest="sha256:pocket",
        window_tokens=4096,
        system="",
        template_sha256="p",
        reads_suffixes=False,
    ),
    LLAMA: ModelFacts(
        digest="sha256:llama", window_tokens=8192, system="Be kind.", template_sha256="l"
    ),
}
EVOLVE = EvolveRule(alike=2, most_open=6)
HOLDOUT_RULE = HoldoutRule(share=0.4, settle_uses=0, harm_e=1.5)
PROVE = ProveRule()


class Mortal(Database):
    """A database that stops answering for ever at the write that a test names."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.died = asyncio.Event()
        self._left: int | None = None
        self._behind = False

    def dies_at(self, write: int, *, behind: bool) -> None:
        """Die at the write of this number from now on (0 is the next): before it or, with `behind`,
        after its commit, which nobody is told of.
        """
        self._left, self._behind = write, behind

    def submit(self, work: Callable[..., T]) -> Future[T]:
        if self._left is None:
            return super().submit(work)
        if self._left > 0:
            self._left -= 1
            return super().submit(work)
        if self._behind:
            self._behind = False
            with contextlib.suppress(Exception):  # it may have been refused
                super().submit(work).result()
        self.died.set()
        return Future()

    def flush(self) -> None:
        """Flush for the test itself, which goes on after the death."""
        super().submit(lambda _: None).result()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Context manager during which nothing that is posted reaches the disk."""
        begun, done = threading.Event(), threading.Event()

        def hold(_: object) -> None:
            begun.set()
            done.wait()

        held = super().submit(hold)
        begun.wait()
        try:
            yield
        finally:
            done.set()
            held.result()


@dataclass(slots=True, kw_only=True)
class World:
    """What outlives a process: the clock, the ids, and the models."""

    clock: FakeClock = field(default_factory=FakeClock)
    ids: FakeIds = field(default_factory=FakeIds)
    judge: Referee = field(default_factory=Referee)
    writer: FakeChatModel = field(default_factory=writer)
    reader: Ear = field(default_factory=Ear)
    policies: dict[str, Policy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for model, facts in FACTS.items():
            self.policies[model] = Policy(model, self.clock, not facts.reads_suffixes)


class Died(Exception):
    """Raised when the process was killed in the middle of some work."""


class House:
    def __init__(self, folder: Path, world: World) -> None:
        self.folder, self.world = folder, world
        self.database = Mortal(folder / "lull.db")
        self.trajectories = Trajectories(self.database, key=KEY)
        self.skills = Skills(self.database, SkillFolders(folder / "library"))
        self.rewards, self.proposals = Rewards(self.database), Proposals(self.database)
        self.assignments = HoldoutAssignments(self.database)
        self.use_replays = UseReplays(self.database)
        self.feedback = FeedbackRows(self.database)
        self.library = Library(0, {})
        self.index = WordIndex()
        self._wire()

    def _wire(self) -> None:
        world, clock = self.world, self.world.clock
        self.approve = Approve(self.skills, clock, in_use=self)
        self.holdout = Holdout(
            evidence=UseEvidence(assignments=self.assignments, replays=self.use_replays),
            coins=SkillCoins(coin=hashed_coin("a secret"), rule=lambda: HOLDOUT_RULE),
            retiring=RetireSkills(
                skills=self.skills,
                proposals=self.proposals,
                approve=self.approve,
                clock=clock,
                ids=world.ids,
                problems=ToldProblems(),
            ),
            proposals=self.proposals,
            in_use=self,
            rule=lambda: HOLDOUT_RULE,
        )
        self.serve = TurnOpener(
            trajectories=self.trajectories,
            skills=self.skills,
            in_use=self,
            index=self.index,
            clock=clock,
            ids=world.ids,
            rule=RetrievalRule(),
            models=KnownModels(within_s=60.0),
            holdout=self.holdout,
        )
        self.current_selection = CurrentSelection(
            self.serve.skill_selector, in_use=self, facts=FACTS.get, kinds=self.index
        )
        verifier = Verifier({POCKET: parsing.check}, checks=self, tools=EXACT)
        self.hear = Hear(
            self.feedback,
            self.rewards,
            reader=lambda: self.world.reader,
            quiet=self,
            clock=clock,
        )
        self.book = RewardBook(
            self.rewards,
            crediting=CreditWins(
                self.rewards,
                verifier=verifier,
                in_use=self,
                current_selection=self.current_selection,
                credit=_credits_nobody,
            ),
            clock=clock,
            coin=FakeCoin().random,
            rule=ScoreRule(),
        )
        self.ask_judge = AskJudge(
            self.rewards,
            book=self.book,
            judges=JudgeNow(lambda: world.judge),
            quiet=self,
            clock=clock,
            rule=ScoreRule(),
        )
        self.score = Score(
            self.rewards,
            book=self.book,
            verifier=verifier,
            hearing=FirstHearing(self.feedback, own={POCKET: PocketReader()}, clock=clock),
            wishes=StandingWishes(
                self.rewards,
                self.feedback,
                verifier,
                decisions=DecisionsOnWishes(self.proposals, self.skills, in_use=self),
            ),
        )
        model = ModelEvolver(world.writer, coin=FakeCoin())
        writers = (
            SkillWriter(evolver=PocketWriter(), origin=ProposalOrigin.EXTRACTIVE),
            SkillWriter(evolver=RuleWriter(lambda *_: ""), origin=ProposalOrigin.EXTRACTIVE),
            SkillWriter(evolver=model, origin=ProposalOrigin.MODEL),
        )
        propose = Propose(
            rewards=self.rewards,
            proposals=self.proposals,
            in_use=self,
            merging=merging,
            checks=self,
            clock=clock,
            ids=world.ids,
            rule=EVOLVE,
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
            writers=lambda: writers,
            quiet=self,
            clock=clock,
            ids=world.ids,
            rule=EVOLVE,
        )
        replay = Replay(
            rewards=self.rewards,
            current_selection=self.current_selection,
            in_use=self,
            verifier=verifier,
            judges=JudgeNow(lambda: world.judge),
            warm=PROVE.warm,
        )
        self.prove = Prove(
            proposals=self.proposals,
            replay=replay,
            ground=ProofGround(
                proposals=self.proposals,
                in_use=self,
                judges=JudgeNow(lambda: world.judge),
                rule=PROVE,
            ),
            targets=self,
            quiet=self,
            clock=clock,
            rule=PROVE,
        )
        self.review = Review(
            self.proposals,
            self.approve,
            EditProposal(self.proposals, self.rewards, in_use=self, clock=clock),
            in_use=self,
            proofs=self.prove,
            clock=clock,
        )
        self.eligible = Eligible(
            self.rewards, self.proposals, still=self.current_selection.selects_same_skills
        )

    # What the parts ask of their surroundings

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        """Implements core.ports.Quiet: work runs at once, because nobody chats meanwhile."""
        return await work()

    def checks_of(self, sha256: str) -> CheckSet | None:
        text = self.skills.folders.text(sha256).metadata.get(CHECK, "")
        return parse_all(text) if text else None

    async def open_target(self, model: str) -> ReplayTarget | None:
        facts = FACTS[model]
        return ReplayTarget(
            chat=self.world.policies[model],
            system=facts.system,
            digest=facts.digest,
            engine="mlx",
            adapter=None,
            sampling=Sampling(),
        )

    async def put_into_use(self, library: Library) -> None:
        await self.index.follow(library)
        self.library = library
        self.holdout.follow()

    # Living and dying

    async def start(self) -> None:
        """Prepare the stores as the service does before it accepts requests."""
        await self.skills.reconcile(at=self.world.clock.now())
        await self.put_into_use(self.skills.library())
        await self.book.recalibrate()

    async def does(self, work: Awaitable[T]) -> T:
        """Await `work`; raises what it raises, and Died when the database dies meanwhile."""
        task = asyncio.ensure_future(work)
        died = asyncio.create_task(self.database.died.wait())
        await asyncio.wait({task, died}, return_when=asyncio.FIRST_COMPLETED)
        if self.database.died.is_set():
            # Copied before cancelling: what the cancelled work still writes must not be in it.
            self._legacy = self._copied()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise Died
        died.cancel()
        await asyncio.gather(died, return_exceptions=True)
        return task.result()

    _legacy: Path | None = None

    def left_behind(self) -> Path:
        """A copy of the files as they are now or, of a house that died, as they were then."""
        return self._legacy or self._copied()

    def _copied(self) -> Path:
        name, _, number = self.folder.name.partition("-")
        copy = self.folder.with_name(f"{name}-{int(number) + 1}")
        # Without the -shm file: the next process that opens the database builds it anew.
        shutil.copytree(self.folder, copy, ignore=shutil.ignore_patterns("*-shm"))
        return copy

    def settle(self) -> None:
        self.database.flush()

    def close(self) -> None:
        self.database.close()


async def _credits_nobody(_: ServedTurn, __: Sequence[str]) -> None:
    return None
