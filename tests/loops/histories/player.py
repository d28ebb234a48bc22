"""Plays a history: conversations, decisions and deaths, each noted in the test's own books."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Completion, Finish, Message, Role, text_message
from lull.core.errors import LullError
from lull.core.proof.pairs import Pair
from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.skill import ChangeKind
from lull.loops.chat.serving import Serving
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.building import throw_older
from tests.loops.histories.bodies import body_of
from tests.loops.histories.book import Book, Page, same
from tests.loops.histories.histories import Talk
from tests.loops.histories.house import FACTS, Died, House, World
from tests.loops.histories.promises import Arrival, Trail, check_arrival, check_sent
from tests.loops.histories.puppets import completion_of

Death = tuple[int, bool] | None


@dataclass(eq=False, kw_only=True)
class UnderWay:
    """A request that has arrived and is not answered yet."""

    talk: Talk
    serving: Serving
    arrival: Arrival
    completion: Completion


@dataclass(kw_only=True)
class Change:
    """A change that somebody makes to the library: its work, and the library afterwards."""

    work: Callable[[], Awaitable[Any]]
    then: Page
    done: bool = False


@dataclass(kw_only=True)
class Notes:
    """What the store must hold when everything is settled."""

    turns: dict[str, Arrival] = field(default_factory=dict)
    trails: dict[str, Trail] = field(default_factory=dict)
    proposals: set[str] = field(default_factory=set)
    proved: set[str] = field(default_factory=set)
    """Proposals that were approved while they were proved."""

    def younger_than(self, oldest: datetime) -> dict[str, Arrival]:
        """The turns, without those of trajectories in which nothing was said since `oldest`."""
        kept = {a.stamp.trajectory for a in self.turns.values() if a.stamp.at >= oldest}
        return {turn: a for turn, a in self.turns.items() if a.stamp.trajectory in kept}


class Player:
    def __init__(self, folder: Path, seen: Counter[str]) -> None:
        self.seen = seen
        """Counts what happened in all histories, to see that each promise was put to the test."""
        self.world, self.book, self.notes = World(), Book(), Notes()
        self.talks: list[Talk] = []
        self.under_way: list[UnderWay] = []
        self.arrivals: dict[str, Arrival] = {}
        """Every request that ever arrived, by its turn."""
        self.asked: dict[str, str] = {}
        """What was asked in every turn that was ever stored, by turn."""
        self.taught: dict[str, set[str]] = {}
        """The turns that ever were support (taught a skill or stood in its proof), by proposal."""
        self.tried: dict[tuple[str, Pair], str] = {}
        """The text that each pair of a proposal was replayed with."""
        self.quarantined: set[str] = set()
        """Every text that ever stood in quarantine."""
        self._runner = asyncio.Runner()
        (folder / "home-0").mkdir()
        self.house = House(folder / "home-0", self.world)
        self._loop(self.house.start())

    def close(self) -> None:
        self.house.close()
        self._runner.close()

    def _loop(self, work: Awaitable[Any]) -> Any:
        async def run() -> Any:
            return await work

        return self._runner.run(run())

    # Conversations

    def arrives(self, talk: Talk, *, meanwhile: Change | None = None) -> UnderWay:
        """Let the newest message of a conversation reach Lull; `meanwhile` happens while the
        model's facts are being asked for.
        """
        plain = body_of(talk.route, talk.model, talk.messages)
        dialect = CHAT_ROUTES[talk.route]
        generation = self.book.generation
        work = self.house.serve.open(
            dialect.read_request(plain),
            client=talk.client,
            route=talk.route,
            session=talk.session,
            injectable=dialect.injectable(plain),
            facts=self._facts(talk.model, meanwhile),
        )
        serving: Serving = self._loop(work)
        if meanwhile is not None:
            self._turns_the_page(meanwhile.then, done=meanwhile.done, died=False)
        sent = plain
        if not serving.injection.empty:
            sent = dialect.inject(plain, serving.injection)
        arrival = Arrival(
            stamp=serving.stamp,
            client=talk.client,
            generation=generation,
            facts=FACTS[talk.model],
            pages=self.book.pages[: generation + 1],
        )
        check_sent(plain, sent, serving, arrival)
        check_arrival(serving, arrival, self.notes.trails)
        self._count(serving)
        heard = dialect.read_request(sent).messages
        system_only = not FACTS[talk.model].reads_suffixes
        completion = completion_of(heard, system_only=system_only)
        come = UnderWay(talk=talk, serving=serving, arrival=arrival, completion=completion)
        self.under_way.append(come)
        return come

    def _facts(
        self, model: str, meanwhile: Change | None
    ) -> Callable[[], ModelFacts | Awaitable[ModelFacts]]:
        if meanwhile is None:
            return lambda: FACTS[model]

        async def late() -> ModelFacts:
            with contextlib.suppress(LullError):
                await meanwhile.work()
                meanwhile.done = True
            return FACTS[model]

        return late

    def _count(self, serving: Serving) -> None:
        self.seen["requests with a skill"] += bool(serving.stamp.skills)
        approved = {p.sha256 for p in self.house.proposals.with_status({ProposalStatus.APPROVED})}
        self.seen["requests with what was approved"] += bool(
            approved & {skill.sha256 for skill in serving.stamp.skills}
        )
        self.seen["requests with a suffix"] += bool(serving.skills.suffixes)
        self.seen["skills left out by chance"] += any(
            assignment.left_out for assignment in serving.skills.selection.assignments
        )

    def ends(self, one: UnderWay, *, hung_up: bool = False) -> None:
        self.under_way.remove(one)
        completion = one.completion
        if hung_up:
            said = text_message(Role.ASSISTANT, completion.message.text[:4])
            completion = Completion(message=said, finish=Finish.HANGUP)
        self.house.serve.recorder.record(one.serving, completion)
        if not hung_up:
            one.talk.messages.append(completion.message)
        self.world.clock.advance(1)
        self.notes.turns[one.serving.stamp.turn] = one.arrival
        self.arrivals[one.serving.stamp.turn] = one.arrival

    def lost(self, one: UnderWay) -> None:
        """Answer a request and let the process die before anything of it is written."""
        with self.house.database.busy():
            self.ends(one)
            del self.notes.turns[one.serving.stamp.turn]
            folder = self.house.left_behind()
        self._moves(folder)

    # Decisions

    def does(self, work: Awaitable[Any], *, then: Page | None = None, death: Death = None) -> Any:
        """Do `work` and return its result; None when it was refused or the process died. `then` is
        the library after it; None where it changes none.
        """
        done, outcome = self._played(work, death)
        self._turns_the_page(then, done=done, died=death is not None)
        return outcome

    def _played(self, work: Awaitable[Any], death: Death) -> tuple[bool, Any]:
        """Return whether the caller was told that the work is done, and its result."""
        if death is not None:
            self.house.database.dies_at(death[0], behind=death[1])
        done, outcome = False, None
        try:
            outcome, done = self._loop(self.house.does(work)), True
        except LullError:
            self.seen["refusals"] += 1
        except Died:
            self.seen["deaths in the middle"] += 1
        if death is not None:
            self.dies()
        return done, outcome

    def _turns_the_page(self, then: Page | None, *, done: bool, died: bool) -> None:
        """Check that the library is as before or as after the change, never in between, and as
        after when the user was told so.
        """
        now = self.house.skills.library()
        grown = now.generation - self.book.generation
        assert grown in (0, 1), "a change is one generation"
        if grown:
            assert then is not None, "what changes no skill made a generation"
            assert done or died, "what was refused made a generation"
            self.book.turn(then)
        else:
            assert then is None or not done, "a change was acknowledged and is not there"
        assert same(self.book.page, now), "the library does not read as it was decided"
        assert self.house.library.generation == self.book.generation

    def takes_back(self, *, death: Death) -> None:
        last = self.house.proposals.last_decision()
        then = None
        if last is not None and last.generation is not None:
            key = self.house.proposals.get(last.proposal).key
            then = self.book.take_back(key, last.generation)
        self.does(self.house.review.undo(), then=then, death=death)

    def retires_in_use(self, *, death: Death) -> None:
        """Run the skill holdout and check that it only retires skills that Lull wrote."""
        self._played(self.house.holdout.step(), death)
        for generation in range(self.book.generation + 1, self.house.library.generation + 1):
            library = self.house.skills.library(generation)
            (key,) = (k for k, s in self.book.page.items() if library.get(k).status != s.status)
            approved = {p.sha256 for p in self.house.proposals.of_skill(key)}
            assert self.book.page[key].sha256 in approved
            self.book.turn(self.book.switch(key, ChangeKind.DISABLE))
            assert same(self.book.page, library)
            self.seen["skills retired by the holdout"] += 1

    def dies(self) -> None:
        """Kill the process as with SIGKILL, and start the next one on the files that it left."""
        self._moves(self.house.left_behind())

    def _moves(self, folder: Path) -> None:
        self.seen["deaths"] += 1
        self.house.close()
        self.under_way.clear()
        self.house = House(folder, self.world)
        assert self.house.database.kept_aside is None
        self._loop(self.house.start())

    # What time brings

    def days_pass(self, days: float) -> None:
        self.world.clock.advance(days * 86_400)

    def forgets(self, *, days: float, death: Death = None) -> None:
        """Run retention, which removes all that is due or, if the process dies, all or nothing."""
        oldest = self.world.clock.now() - timedelta(days=days)
        younger = self.notes.younger_than(oldest)
        work = throw_older(self.house.database, oldest)
        self.does(work, death=death)
        if death is None or self.house.trajectories.counts()[1] == len(younger):
            self.seen["conversations forgotten"] += len(younger) < len(self.notes.turns)
            self.notes.turns = younger


def system(text: str) -> list[Message]:
    return [text_message(Role.SYSTEM, text)] if text else []
