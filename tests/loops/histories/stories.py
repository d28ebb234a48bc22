"""The steps of a random history: each is something that a client, Lull or the user does, or time.

The arguments of a step are drawn before it is known what exists: a number stands for one of the
conversations or proposals of that moment, and a step that finds none does nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from lull.core.chat.client import Client
from lull.core.errors import UpstreamDown
from lull.core.proof.proposal import ProposalOrigin
from lull.core.skills.skill import ChangeKind, SkillKey, SkillStatus, SkillText
from lull.pocket import language as pocket
from lull.store.chat.trajectories import Label
from lull.store.skills.skill_md import render
from tests.loops.histories import histories as said
from tests.loops.histories.bodies import NATIVE
from tests.loops.histories.book import Page
from tests.loops.histories.histories import Talk
from tests.loops.histories.player import Change, Death, Player, system
from tests.loops.histories.puppets import draft, hostile

T = TypeVar("T")


class Stories:
    """The steps of a random history: each public method is one step, named in histories.py."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._marks = 0

    # Clients

    def begins(
        self, *, client: Client, model: str, route: str, session: str, own: str, text: str
    ) -> None:
        talk = Talk(client, model, route, session, system(own))
        self._player.talks.append(talk)
        self._asks(talk, text)

    def goes_on(self, *, pick: int, text: str, result: str) -> None:
        for talk in self._one(self._player.talks, pick):
            self._asks(talk, text, result)

    def regenerates(self, *, pick: int) -> None:
        for talk in self._one(self._player.talks, pick):
            if not talk.waits:
                talk.messages.pop()
            self._player.ends(self._player.arrives(talk))

    def teaches(
        self, *, client: Client, model: str, route: str, kind: pocket.Kind, text: int, rule: int
    ) -> None:
        """A client asks, is not content with the answer, and says what it wants instead."""
        asked, wanted = said.ASKED[kind][text], said.CORRECTS[kind][rule]
        self.begins(client=client, model=model, route=route, session="", own="", text=asked)
        self._asks(self._player.talks[-1], f"no, {wanted}")
        self.reads(death=None)

    def closes_the_loop(
        self, *, client: Client, model: str, route: str, kind: pocket.Kind, text: int, rule: int
    ) -> None:
        """The whole loop: a rule is taught, proved and approved, and its requests are asked again
        in the same and in new conversations.
        """
        self.teaches(client=client, model=model, route=route, kind=kind, text=text, rule=rule)
        taught = self._player.talks[-1]
        self.approves_the_newest(death=None)
        self._asks(taught, said.ASKED[kind][text])
        for asked in said.ASKED[kind][text : text + 2]:
            self.begins(client=client, model=model, route=route, session="", own="", text=asked)

    def fails(
        self, *, client: Client, model: str, kind: pocket.Kind, text: int, death: Death
    ) -> None:
        """Two similar requests are rated bad, and nobody says what is wanted instead."""
        for asked in said.ASKED[kind][text : text + 2]:
            self.begins(client=client, model=model, route=NATIVE, session="", own="", text=asked)
            self._house.settle()
            self.rates(pick=0, label=Label.BAD, death=death)

    def is_written_about(
        self, *, client: Client, model: str, kind: pocket.Kind, text: int, what: str, death: Death
    ) -> None:
        """The user complains in words that state no rule, so that only a model can write one."""
        asked = said.ASKED[kind][text]
        self.begins(client=client, model=model, route=NATIVE, session="", own="", text=asked)
        self._asks(self._player.talks[-1], said.WRONG)
        self.reads(death=None)
        mark = self._mark()
        hostiles = hostile(str(mark))
        answers: dict[str, Any] = {
            "draft": draft(kind, str(mark)),
            "hostile": hostiles[mark % len(hostiles)],
            "gone": UpstreamDown("The writer does not answer."),
        }
        self._player.world.writer.answers = [answers.get(what, what)]
        self._does(self._house.evolve.step((ProposalOrigin.MODEL,)), death=death)

    def goes_on_elsewhere(self, *, pick: int, client: Client, text: str) -> None:
        """A conversation goes on from another client, as from a program that was set up anew."""
        for talk in self._one(self._player.talks, pick):
            moved = replace(talk, client=client, messages=[*talk.messages])
            self._player.talks.append(moved)
            self._asks(moved, text)

    def asks_slowly(self, *, pick: int, text: str, result: str) -> None:
        """A client asks; the answer only comes at a later step."""
        for talk in self._one(self._player.talks, pick):
            talk.goes_on(text, result=result)
            self._player.arrives(talk)

    def is_answered(self, *, pick: int, hung_up: bool) -> None:
        for one in self._one(self._player.under_way, pick):
            self._player.ends(one, hung_up=hung_up or not one.talk.waits)

    def is_answered_and_never_recorded(self, *, pick: int, text: str, result: str) -> None:
        for talk in self._one(self._player.talks, pick):
            talk.goes_on(text, result=result)
            self._player.lost(self._player.arrives(talk))

    def asks_while_a_skill_changes(self, *, pick: int, key: SkillKey, rule: str) -> None:
        for talk in self._one(self._player.talks, pick):
            talk.goes_on(said.REQUESTS[0], result=said.RESULTS[0])
            body = said.sentence(rule, self._mark())
            work = partial(self._house.approve.edit, key, body=body)
            change = Change(work=work, then=self._player.book.edit(key, body))
            self._player.ends(self._player.arrives(talk, meanwhile=change))

    def _asks(self, talk: Talk, text: str, result: str = "") -> None:
        talk.goes_on(text, result=result)
        self._player.ends(self._player.arrives(talk))

    # What Lull does by itself, and time

    def reads(self, *, death: Death) -> None:
        self._does(self._read(), death=death)

    async def _read(self) -> None:
        house = self._house
        house.settle()
        await house.score.read_new()
        while await house.hear.step(count=house.score.rescore_with_feedback):
            pass
        assert house.feedback.count_waiting() == 0, "what was said is not heard"
        await house.evolve.step((ProposalOrigin.EXTRACTIVE,))

    def judges(self, *, death: Death, gone: bool) -> None:
        self._player.days_pass(0.1)
        self._player.world.judge.gone = gone
        self._does(self._house.ask_judge.step(), death=death)

    def proves(self, *, death: Death, whole: bool) -> None:
        self._does(self._prove(whole=whole), death=death)

    async def _prove(self, *, whole: bool) -> None:
        while await self._house.prove.slice() and whole:
            pass

    def retires_in_use(self, *, death: Death) -> None:
        self._player.retires_in_use(death=death)

    def time_goes_by(self, *, days: float) -> None:
        self._player.days_pass(days)

    def old_conversations_go(self, *, days: float, death: Death) -> None:
        self._player.forgets(days=days, death=death)

    def is_killed(self) -> None:
        self._player.dies()

    # The user's word

    def rates(self, *, pick: int, label: Label | None, death: Death) -> None:
        for turn in self._one(sorted(self._player.notes.turns), pick):
            self._does(self._rate(turn, label), death=death)

    async def _rate(self, turn: str, label: Label | None) -> None:
        house = self._house
        await house.trajectories.label(turn, label, at=self._player.world.clock.now())
        await house.book.on_rating(turn)

    def approves(self, *, pick: int, right: bool, death: Death) -> None:
        """The user approves a proposal by its text's hash; another hash is refused."""
        for found in self._one(sorted(self._player.notes.proposals), pick):
            self._approves(found, death, right=right)

    def approves_the_newest(self, *, death: Death) -> None:
        """Proofs run as far as they can, then the user approves the newest proposal."""
        self.proves(death=None, whole=True)
        for proposal in self._house.review.proposals()[:1]:
            self._approves(proposal.id, death)

    def _approves(self, found: str, death: Death, *, right: bool = True) -> None:
        proposal = self._house.proposals.get(found)
        then = self._player.book.approve(proposal, self._house.proposals.data(found))
        sha256 = proposal.sha256 if right else "0" * 64
        stale = self._player.book.overtook(proposal)
        done = self._does(self._house.review.approve(found, sha256=sha256), then, death=death)
        assert right or done is None, "another text was approved than was read"
        assert not stale or done is None, "what has changed since was written over"

    def edits_a_proposal(self, *, pick: int, rule: str, death: Death) -> None:
        body = said.sentence(rule, self._mark())
        for found in self._one(sorted(self._player.notes.proposals), pick):
            self._does(self._house.review.edit(found, body=body), death=death)

    def rejects(self, *, pick: int, death: Death) -> None:
        for found in self._one(sorted(self._player.notes.proposals), pick):
            self._does(self._house.review.reject(found, reason="not like that"), death=death)

    def defers(self, *, pick: int, death: Death) -> None:
        for found in self._one(sorted(self._player.notes.proposals), pick):
            self._does(self._house.review.defer(found), death=death)

    def has_it_proved_again(self, *, pick: int, death: Death) -> None:
        for found in self._one(sorted(self._player.notes.proposals), pick):
            self._does(self._house.prove.restart_proof(found), death=death)

    def takes_back(self, *, death: Death) -> None:
        self._player.takes_back(death=death)

    # The user's own skills

    def adds(self, *, key: SkillKey, rule: str, pinned: bool, death: Death) -> None:
        text = self._text(key, rule)
        work = self._house.approve.add(
            key.name,
            description=text.description,
            body=text.body,
            client=key.client,
            pinned=pinned,
        )
        self._does(work, self._player.book.add(key, text, pinned=pinned), death=death)

    def edits(self, *, key: SkillKey, rule: str, death: Death) -> None:
        body = said.sentence(rule, self._mark())
        then = self._player.book.edit(key, body)
        self._does(self._house.approve.edit(key, body=body), then, death=death)

    def switches(self, *, pick: int, change: ChangeKind, death: Death) -> None:
        for key in self._one(sorted(self._player.book.page), pick):
            then = self._player.book.switch(key, change)
            self._does(self._house.approve.switch(key, change), then, death=death)

    def copies(self, *, pick: int, to: str, death: Death) -> None:
        for key in self._one(sorted(self._player.book.page), pick):
            then = self._player.book.copy(key, to)
            self._does(self._house.approve.copy(key, to=to), then, death=death)

    def rolls_back(self, *, pick: int, death: Death) -> None:
        generation = pick % len(self._player.book.pages)
        then = self._player.book.roll_back(generation)
        self._does(self._house.approve.roll_back(generation), then, death=death)

    def edits_by_hand(self, *, key: SkillKey, rule: str, death: Death) -> None:
        """The user edits a skill's file in its folder, which the service reads every few seconds
        and when it starts. Nobody approves the edit here, so the library stays as it is.
        """
        data = render(self._text(key, rule))
        file = self._house.skills.folders.folder(key) / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._does(self._take_in(), death=death)

    def removes_a_folder(self, *, pick: int, death: Death) -> None:
        page = self._player.book.page
        there = sorted(k for k, s in page.items() if s.status is not SkillStatus.ARCHIVED)
        for key in self._one(there, pick):
            folder = self._house.skills.folders.folder(key)
            for found in folder.iterdir():
                found.unlink()
            folder.rmdir()
            then = self._player.book.switch(key, ChangeKind.DELETE)
            self._does(self._take_in(), then, death=death)

    async def _take_in(self) -> None:
        house = self._house
        await house.skills.reconcile(at=self._player.world.clock.now())
        await house.put_into_use(house.skills.library())

    # What the steps share

    @property
    def _house(self) -> Any:
        return self._player.house

    def _does(self, work: Awaitable[Any], then: Page | None = None, *, death: Death) -> Any:
        return self._player.does(work, then=then, death=death)

    def _one(self, of: Sequence[T], pick: int) -> Sequence[T]:
        """One of these in a list, or an empty list; a small number picks one of the newest."""
        return [of[-1 - pick % len(of)]] if of else []

    def _text(self, key: SkillKey, rule: str) -> SkillText:
        kind = key.name.partition("-")[0]
        body = said.sentence(rule, self._mark())
        return SkillText(name=key.name, description=f"When a {kind} is asked for.", body=body)

    def _mark(self) -> int:
        self._marks += 1
        return self._marks
