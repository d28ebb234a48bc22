"""Runs the control API on a real socket and a real store in a thread of this process: what a
running service answers about proposals, without the models behind it.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aiohttp import web

from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.core.chat.picks import Comparison, NextPair, Pick, scores
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.proof.evidence import Evidence, evidence_text
from lull.core.proof.last_look import last_look
from lull.core.proof.pairs import BY_USER, Pair, PairPart
from lull.core.proof.proof import ProofRule, ProofState, decide
from lull.core.proof.proposal import (
    ProofConditions,
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    Trace,
)
from lull.core.proof.rules import ProveRule
from lull.core.skills.skill import Library, SkillKey, SkillText
from lull.loops.skills.approve import Approve
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.from_files import FromFiles
from lull.loops.skills.review import Review
from lull.service.answers.answering import Answering
from lull.service.chat.routes import conversation_routes
from lull.service.control.control_api import ControlApi
from lull.service.control.routes import ServiceRequests, service_routes
from lull.service.control.settings_view import SettingsRequests
from lull.service.feedback.rating import Rating
from lull.service.process.bus import EventBus
from lull.service.process.lock import Discovery, ServiceLock, write_discovery
from lull.service.process.problems import Problems
from lull.service.proof.comparing import ComparisonRequests
from lull.service.proof.reviewing import ReviewRequests
from lull.service.proof.routes import proposal_routes
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.routes import skill_routes
from lull.service.training.routes import learning_routes
from lull.service.wiring.base.stores import open_stores, reading_of
from lull.store.chat.event_log import EventLog
from lull.store.proof.proposals import Proposals, WritingFault
from lull.store.proof.shown_pairs import not_open
from lull.store.skills.skill_md import render
from tests.doubles.fakes import FakeClock, FakeIds
from tests.eventually import PATIENCE_S

RULE = ProofRule()
GROUND = ProofConditions(
    model="sha256:base", engine="mlx", adapter=None, judge="", generation=0, alpha=RULE.alpha
)


@dataclass
class ScriptedProofs:
    """Stands in for the fast loop: records which proofs it is told to run; a test can stall it."""

    asked: list[tuple[str | None, bool]] = field(default_factory=list)
    ended: list[str | None] = field(default_factory=list)
    looked: int = 0
    picks: int = 0
    rated: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    before: dict[str, int] = field(default_factory=dict)
    """How many other tests go before those that were asked for."""
    held: asyncio.Event | None = None
    error: Exception | None = None
    undone: list[LullError] = field(default_factory=list)

    async def prove_now(self, proposal: str | None, *, wait: bool) -> list[LullError]:
        self.asked.append((proposal, wait))
        if wait and self.held is not None:
            await self.held.wait()
        if self.error is not None:
            raise self.error
        self.ended.append(proposal)
        return self.undone

    def tests_before(self, proposal: str) -> int | None:
        return self.before.get(proposal)

    async def stop_proof(self, proposal: str) -> None:
        self.stopped.append(proposal)

    def on_proposal_decided(self) -> None:
        self.looked += 1

    async def on_picked(self) -> None:
        self.picks += 1

    async def on_rated(self, turn: str) -> None:
        self.rated.append(turn)


class NoToken:
    """Stands in for a secret store without a network token."""

    async def forget(self) -> None:
        """Implements ForgetsToken."""


class NoExemplars:
    """Stands in for an exemplar memory that is not open."""

    exemplars = None


class DecidedProofs:
    """Stands in for what proves skills: every proof has the same rule, and none is under way."""

    rule = ProveRule(proof=RULE)
    replayed_now = ""

    def rule_for(self, _proposal: Proposal) -> ProofRule:
        return RULE


@dataclass
class ReportedStatus:
    """The status that the control API tells; a test sets `document`."""

    document: Json = field(default_factory=dict)

    async def status(self) -> Json:
        return self.document

    async def doctor(self) -> Json:
        return {}


@dataclass
class ScriptedCompare:
    """Stands in for loops/proof/compare.py without a model: answer A of each pair is the one with
    the skill, and every pick counts.
    """

    proposals: Proposals
    held: asyncio.Event | None = None
    error: LullError | None = None
    alike: int = 0

    async def next(self, proposal: str) -> NextPair:
        if self.held is not None:
            await self.held.wait()
        if self.error is not None:
            raise self.error
        number = len(self.proposals.pairs(proposal)) + 1
        comparison = Comparison(
            pair=f"pair_{number}",
            request="write a menu",
            a=f"soup | bread {number}",
            b=f"soup and bread {number}",
        )
        return NextPair(comparison=comparison, alike=self.alike)

    async def pick(self, proposal: str, pair: str, pick: Pick) -> Proposal:
        number = len(self.proposals.pairs(proposal)) + 1
        if pair != f"pair_{number}":
            raise not_open(proposal, pair)
        without, with_ = scores(pick, with_first=True)
        made = replace(pairs(1)[0], seed=number, without=without, with_=with_, scored_by=BY_USER)
        done = decide([*self.proposals.pairs(proposal), made], RULE, successes=0)

        def settled(now: Proposal) -> Proposal:
            if done.state is ProofState.UNDECIDED:
                return now
            proved = done.state is ProofState.PROVED
            status = ProposalStatus.PROVED if proved else ProposalStatus.UNPROVED
            return replace(now, status=status, needs_picks=False, reason=f"not better: {done.why}")

        return await self.proposals.save_comparison(proposal, made, settled)


def pairs(wins: int, losses: int = 0, same: int = 0, *, successes: int = 0) -> list[Pair]:
    """Benefit pairs of a proof, all on one request, then pairs of past successes that held."""
    scores = [(0.0, 1.0)] * wins + [(1.0, 0.0)] * losses + [(0.5, 0.5)] * same
    benefit = [
        Pair(
            request="turn_1",
            part=PairPart.FAILURE,
            seed=seed,
            without=without,
            with_=with_,
            scored_by="verifier:pocket",
        )
        for seed, (without, with_) in enumerate(scores)
    ]
    held = [
        replace(
            benefit[0], request=f"turn_s{n}", part=PairPart.SUCCESS, seed=n, without=1.0, with_=1.0
        )
        for n in range(successes)
    ]
    return [*benefit, *held]


def proved() -> list[Pair]:
    """The fewest pairs that prove a skill: wins until the benefit is shown, then past successes."""
    wins = next(n for n in range(100) if _state(pairs(n), successes=0) is ProofState.PROVED)
    done = (pairs(wins, successes=held) for held in range(1, 100))
    return next(one for one in done if _state(one, successes=1) is ProofState.PROVED)


def spent() -> list[Pair]:
    """As many pairs as a proof may have, of which only slightly more are won than lost."""
    done, course = pairs(120), itertools.cycle("+.-+..-.+.+-..+.")
    scores = {"+": (0.0, 1.0), "-": (1.0, 0.0), ".": (0.5, 0.5)}
    fallen = [scores[next(course)] for _ in done]
    return [replace(p, without=a, with_=b) for p, (a, b) in zip(done, fallen, strict=True)]


def looked(*, accepted: bool) -> ProofConditions:
    """Conditions of a proof that used all its pairs; its last look accepted it or did not."""
    looks = (last_look(f"prop_{number} of a test") for number in itertools.count())
    look = next(one for one in looks if one.accepts(1.8, RULE.alpha) is accepted)
    return replace(GROUND, look=replace(look, after=120))


def _state(done: list[Pair], *, successes: int) -> ProofState:
    return decide(done, RULE, successes=successes).state


class Desk:
    """A home whose control socket answers; everything async runs on its own event loop."""

    def __init__(self, home: Path) -> None:
        self.paths = Paths.from_environment(os.environ, "linux", home=str(home))
        self.paths.prepare()
        self.stores = open_stores(self.paths)
        self.clock, self.ids = FakeClock(), FakeIds()
        self.event_log = EventLog(self.stores.database)
        self.library: Library = self.stores.skills.library()
        self.bus = EventBus(self.event_log, self.clock)
        self.told: list[str] = []
        self.files = FromFiles(
            self.stores.skills, self.stores.proposals, clock=self.clock, ids=self.ids
        )
        self.approve = Approve(
            self.stores.skills,
            self.clock,
            in_use=self,
            files=self.files,
        )
        self.proofs = ScriptedProofs()
        self.review = Review(
            self.stores.proposals,
            self.approve,
            EditProposal(
                self.stores.proposals,
                self.stores.rewards,
                in_use=self,
                clock=self.clock,
            ),
            in_use=self,
            proofs=self,
            clock=self.clock,
        )
        self.reviewing = ReviewRequests(
            review=self.review,
            proposals=self.stores.proposals,
            skills=self.stores.skills,
            in_use=self,
            deciding=DecidedProofs(),
            proofs=self.proofs,
            bus=self.bus,
        )
        self.compare = ScriptedCompare(self.stores.proposals)
        self.reported = ReportedStatus()
        """What `/v1/status` answers."""
        self._loop = asyncio.new_event_loop()
        self._held: asyncio.Event | None = None
        self._following = threading.Event()
        self._lock = ServiceLock(self.paths.lock)

    async def put_into_use(self, library: Library) -> None:
        if self._held is not None:
            self._following.set()
            await self._held.wait()
        self.library = library

    def hold_following(self) -> tuple[threading.Event, asyncio.Event]:
        """Hold library changes back after they were written. Returns two events: the first tells
        that a change waits, the second (set it with `call`) lets it come into force.
        """
        self._held = asyncio.Event()
        return self._following, self._held

    def evidence(self, proposal: Proposal) -> bytes:
        done = self.stores.proposals.pairs(proposal.id)
        if not done:
            return b""
        successes = sum(pair.part is PairPart.SUCCESS for pair in done)
        document = Evidence(
            skill=proposal.key.name,
            skill_sha256=proposal.sha256,
            model="sha256:base",
            engine="mlx",
            adapter=None,
            generation=GROUND.generation,
            judge="",
            rule=RULE,
            successes=successes,
            pairs=tuple(done),
            decision=decide(done, RULE, successes=successes, look=proposal.last_look),
            look=proposal.last_look,
        )
        return evidence_text(document).encode()

    # What a test stores or does

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the service's event loop and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def call(self, work: Callable[[], object]) -> None:
        async def now() -> None:
            work()

        self.do(now())

    def hold_proofs(self) -> asyncio.Event:
        """Let no proof that a caller waits for end before the event is set (with `call`)."""
        self.proofs.held = asyncio.Event()
        return self.proofs.held

    def skill(self, name: str, body: str, **more: Any) -> None:
        self.do(self.approve.add(name, description="When a menu is asked for.", body=body, **more))

    def propose(
        self,
        name: str = "menu-style",
        *,
        body: str = "Join the words with bars.",
        description: str = "When a menu is asked for.",
        kind: ProposalKind = ProposalKind.NEW,
        status: ProposalStatus = ProposalStatus.SCREENED,
        client: str = "",
        check: str = "",
        replays: list[Pair] | None = None,
        **more: Any,
    ) -> Proposal:
        key = SkillKey(client, name)
        metadata = {"check": check} if check else {}
        text = SkillText(name=name, description=description, body=body, metadata=metadata)
        data = render(text)
        base = ""
        if kind is not ProposalKind.NEW:
            base = self.library.get(key).sha256
        if kind is ProposalKind.RETIRE:
            data = self.stores.skills.folders.data(base)
            text = self.stores.skills.folders.text(base)
        self.clock.advance(60)
        proposal = Proposal(
            id=self.ids.new("prop"),
            kind=kind,
            key=key,
            base_sha256=base,
            sha256=hashlib.sha256(data).hexdigest(),
            text=text,
            status=status,
            origin=ProposalOrigin.EXTRACTIVE,
            made_at=self.clock.now(),
            changed_at=self.clock.now(),
            **{
                "failures": ("turn_1",),
                "model": "pocket",
                "traces": (Trace(sentence=body, source="user", turn="turn_2"),),
                "ground": GROUND if replays else None,
                **more,
            },
        )
        self.do(self._add(proposal, data, replays or []))
        return proposal

    async def _add(self, proposal: Proposal, data: bytes, replays: list[Pair]) -> None:
        # The last look must be stored after the pairs that it looks at.
        begun = replace(
            proposal, status=ProposalStatus.PROVING, ground=GROUND if proposal.ground else None
        )
        await self.stores.proposals.add(begun, data)
        for pair in replays:
            assert await self.stores.proposals.advance(begun, pair)
        await self.stores.proposals.change(proposal.id, lambda _: proposal)

    def fault(self, **more: Any) -> WritingFault:
        self.clock.advance(60)
        fault = WritingFault(
            **{
                "id": self.ids.new("fault"),
                "at": self.clock.now(),
                "client": "",
                "turns": ("turn_9",),
                "evolver": "model:writer",
                "problem": "It is no JSON.",
                "answer": "Sure! Here is\x1b[2J a skill",
                "due": None,
                **more,
            }
        )
        self.do(self.stores.proposals.fault(fault))
        return fault

    def status(self, proposal: Proposal) -> str:
        return self.stores.proposals.get(proposal.id).status.value

    def body(self, name: str = "menu-style", client: str = "") -> str:
        return self.library.get(SkillKey(client, name)).body

    # The service

    @contextmanager
    def open(self) -> Iterator[Desk]:
        thread = threading.Thread(target=self._loop.run_forever)
        thread.start()
        runner = web.AppRunner(
            self._api().app(), handler_cancellation=True, access_log=None, shutdown_timeout=1.0
        )
        try:
            self.do(self._serve(runner))
            self._lock.take(discovery=self.paths.discovery)
            write_discovery(
                self.paths.discovery,
                Discovery(
                    address="http://127.0.0.1:1",
                    pid=os.getpid(),
                    control=str(self.paths.control_socket),
                    version="test",
                    started=self.clock.now().isoformat(),
                ),
            )
            yield self
        finally:
            self.do(runner.cleanup())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()
            self._lock.release()
            self.paths.discovery.unlink(missing_ok=True)
            self.stores.database.close()

    async def _serve(self, runner: web.AppRunner) -> None:
        await runner.setup()
        await web.UnixSite(runner, str(self.paths.control_socket)).start()

    def _api(self) -> ControlApi:
        answering = Answering(settle=self.stores.database.flush)
        stored = reading_of(self.stores)
        return ControlApi(
            answering,
            bus=self.bus,
            status=self.reported,
            conversations=stored.conversations,
            skills=stored.skills,
            reviewing=self.reviewing,
            groups=self._groups(answering),
        )

    def _groups(self, answering: Answering) -> list[list[web.RouteDef]]:
        stored = reading_of(self.stores)
        whole = ServiceRequests(
            status=self.reported,
            settings=SettingsRequests(self.paths.settings),
            stop=lambda: None,
            stored_token=NoToken(),
        )
        rating = Rating(
            self.stores.trajectories,
            self.clock,
            self.bus,
            memory=NoExemplars(),
            scoring=self.proofs,
            conversations=stored.conversations,
            problems=Problems(self.bus),
        )
        changes = SkillChangeRequests(self.approve, self.files, self.stores.skills)
        comparing = ComparisonRequests(
            self.compare,
            proposals=self.stores.proposals,
            rule_for=lambda _: RULE,
            proofs=self.proofs,
            patience_s=0.2,
        )
        return [
            service_routes(whole, answering),
            skill_routes(stored.skills, changes, answering),
            proposal_routes(self.reviewing, comparing, answering),
            conversation_routes(stored.conversations, rating, answering),
            learning_routes(stored.learning, answering),
        ]

    def events(self) -> list[tuple[str, object]]:
        """All proposal events so far, as (proposal id, status)."""
        self.stores.database.flush()
        found = self.event_log.after(0)
        return [
            (str(e.fields["proposal"]), e.fields["status"])
            for e in found
            if e.kind == EventKind.PROPOSAL
        ]
