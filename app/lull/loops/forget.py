"""Forget a conversation: find all that came of it, say so, and take it back.

    turns → proposals → skills → other prompts
          → sampled groups → runs → adapters → what was trained on top of them

A skill that it taught goes, or back to the text before; a run that it was part of is deleted with
its folder; an adapter that came of such a run, or of another such adapter, is rolled back to the
youngest ancestor that is free of it. What others had a part in is not lost: their failures and
their groups are free again, and the next lulls make of them what can be made without it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from lull.core.adapter import AdapterVersion
from lull.core.errors import Conflict, NotFound
from lull.core.messages import Role
from lull.core.ports import Clock
from lull.core.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skill import Library, SkillKey
from lull.core.training_record import Run
from lull.core.trust import behind_the_answer, typed_in
from lull.loops.approve import Approve
from lull.store.adapter_files import AdapterFiles
from lull.store.adapters import Adapters
from lull.store.feedback import FeedbackRows
from lull.store.forgetting import Forgetting, ToForget, blot
from lull.store.proposals import Proposals
from lull.store.rewards import Rewards
from lull.store.run_folders import RunFolders
from lull.store.skills import Skills
from lull.store.training import Training
from lull.store.trajectories import Trajectories, TurnRow

log = logging.getLogger(__name__)


class Exemplars(Protocol):
    """The part of the exemplar memory that is needed here. Blocks."""

    def remove(self, ids: list[str]) -> None: ...

    def remove_skill(self, *, client: str, skill: str) -> None:
        """`client`: whose skill it is, "" for everybody's."""

    def of_turns(self, turns: Sequence[str]) -> list[str]: ...

    def rewrite(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    what: ToForget
    made: tuple[str, ...]
    """What was made of it, each in a sentence."""
    left: tuple[Path, ...] = ()
    """Files that may hold some of it and were not looked into."""


class Forget:
    def __init__(
        self,
        *,
        trajectories: Trajectories,
        proposals: Proposals,
        skills: Skills,
        approve: Approve,
        library: Callable[[], Library],
        training: Training,
        folders: RunFolders,
        adapters: Adapters,
        adapter_files: AdapterFiles,
        rewards: Rewards,
        heard: FeedbackRows,
        forgetting: Forgetting,
        exemplars: Callable[[], Awaitable[Exemplars | None]],
        roll_back: Callable[[str, str | None, str], Awaitable[None]],
        stop: Callable[[Sequence[str]], Awaitable[None]],
        afterwards: Callable[[], Awaitable[None]],
        logs: Callable[[], Iterable[Path]],
        clock: Clock,
    ) -> None:
        """`roll_back(model, to, why)` puts another adapter in force (None: the base); `stop` ends
        what is at work on these runs; `afterwards` makes what is kept in memory follow."""
        self._trajectories = trajectories
        self._proposals = proposals
        self._skills = skills
        self._approve = approve
        self._library = library
        self._training = training
        self._folders = folders
        self._adapters = adapters
        self._adapter_files = adapter_files
        self._rewards = rewards
        self._heard = heard
        self._forgetting = forgetting
        self._exemplars = exemplars
        self._roll_back = roll_back
        self._stop = stop
        self._afterwards = afterwards
        self._logs = logs
        self._clock = clock

    # Looking

    def look(self, conversation: str) -> Forgotten:
        """What would go. Blocks. Raises NotFound."""
        _, turns = self._trajectories.get(conversation)
        ids = tuple(turn.id for turn in turns)
        proposals = self._taught(set(ids))
        texts = tuple(dict.fromkeys(p.sha256 for p in proposals))
        gone, back = self._skills_of(proposals, set(texts))
        said, room = self._said(turns), self._room_of(ids)
        held = self._held_to(said, room)
        runs, adapters = self._trained(conversation, texts, held)
        what = ToForget(
            trajectory=conversation,
            turns=ids,
            room=room,
            proposals=tuple(p.id for p in proposals),
            texts=tuple(dict.fromkeys((*texts, *self._versions_of(gone, back)))),
            skills=tuple((key.client, key.name) for key in gone),
            set_back=tuple((key.client, key.name, sha256) for key, sha256 in back.items()),
            runs=tuple(run.id for run in runs),
            adapters=tuple(one.id for one in adapters),
            versions=tuple(one.sha256 for one in adapters),
            said=said,
            held=held,
        )
        return Forgotten(what=what, made=tuple(_told(what, proposals, runs, adapters)))

    def _said(self, turns: Sequence[TurnRow]) -> tuple[str, ...]:
        """What was typed, and the wishes that were heard in it."""
        heard = self._heard.of([turn.id for turn in turns])
        rules = [one.heard.rule for one in heard.values() if one.heard.rule]
        return tuple(dict.fromkeys((*_said(turns), *rules)))

    def _room_of(self, turns: Sequence[str]) -> str:
        return next((served.room for served in self._rewards.served(turns[:1])), "")

    def _held_to(self, said: Sequence[str], room: str) -> tuple[str, ...]:
        """In another room the same words are somebody else's."""
        return tuple(self._rewards.held_to(said, room=room))

    def _taught(self, turns: set[str]) -> list[Proposal]:
        """Proposals that this conversation had a part in writing, and those that were made of
        their texts."""
        every = sorted(self._proposals.standing(everything=True), key=lambda p: (p.made_at, p.id))
        found: dict[str, Proposal] = {}
        for proposal in every:
            own = {*proposal.failures, *proposal.wish_turns, *(t.turn for t in proposal.traces)}
            if own & turns or any(_grew_out_of(proposal, other) for other in found.values()):
                found[proposal.id] = proposal
        return list(found.values())

    def _skills_of(
        self, proposals: Sequence[Proposal], texts: set[str]
    ) -> tuple[list[SkillKey], dict[SkillKey, str]]:
        """Skills that go, and those that go back to a text which was there before."""
        gone: list[SkillKey] = []
        back: dict[SkillKey, str] = {}
        approved = {p.sha256 for p in proposals if p.status is ProposalStatus.APPROVED}
        for key in self._library().skills:
            history = self._skills.history(key)  # newest first
            first = next((row for row in reversed(history) if row.sha256 in approved), None)
            if first is None:
                continue
            before = [row for row in history if row.generation < first.generation]
            if before and before[0].sha256 not in texts:
                back[key] = before[0].sha256
            else:
                gone.append(key)
        return gone, back

    def _versions_of(self, gone: Sequence[SkillKey], back: dict[SkillKey, str]) -> list[str]:
        """Every text that such a skill has had since: an edit keeps most of what it edits."""
        kept = self._kept(gone, back)
        found = []
        for key in (*gone, *back):
            for row in self._skills.history(key):
                if key in back and row.sha256 == back[key]:
                    break
                if row.sha256 not in kept:
                    found.append(row.sha256)
        return found

    def _kept(self, gone: Sequence[SkillKey], back: dict[SkillKey, str]) -> set[str]:
        """Texts that another skill has, too: a starter of another room, say."""
        touched = {*gone, *back}
        others = [key for key in self._library().skills if key not in touched]
        return {*back.values(), *(r.sha256 for key in others for r in self._skills.history(key))}

    def _trained(
        self, conversation: str, texts: Sequence[str], held: Sequence[str]
    ) -> tuple[list[Run], list[AdapterVersion]]:
        """Runs and adapters with any of it in them, to the last that went on from them; `held` are
        turns of others that were scored by what was said in it."""
        made = self._training.made_of(trajectory=conversation, skills=texts, turns=held)
        runs = {run.id: run for run in made}
        adapters: dict[str, AdapterVersion] = {}
        every, all_runs = self._adapters.all(), self._training.runs()
        while True:
            before = len(runs) + len(adapters)
            for one in every:
                if one.run in runs or one.parent in adapters:
                    adapters[one.id] = one
            tainted = {one.sha256 for one in adapters.values()}
            for run in all_runs:
                if run.root in tainted or run.parent in runs:
                    runs[run.id] = run
            if len(runs) + len(adapters) == before:
                return list(runs.values()), list(adapters.values())

    # Acting

    async def forget(self, conversation: str) -> Forgotten:
        """Take all of it back. Raises NotFound, StoreError."""
        found = await asyncio.to_thread(self.look, conversation)
        await self._forgetting.intend(found.what)
        left = await self._carry_out(found.what)
        return Forgotten(what=found.what, made=found.made, left=tuple(left))

    async def finish(self) -> None:
        """What a crash has left half done."""
        for what in await asyncio.to_thread(self._forgetting.intended):
            log.info("going on forgetting %s", what.trajectory)
            await self._carry_out(what)

    async def _carry_out(self, what: ToForget) -> list[Path]:
        """Each step is safe to do twice."""
        await self._stop(what.runs)
        await self._take_out_adapters(what)
        await self._take_out_skills(what)
        bodies = {s.sha256: s.body for s in self._library().skills.values()}
        what = await self._remove(what, bodies)
        await self._forget_exemplars(what)
        await self._afterwards()
        # Until then answers were held to what was said in it.
        what = await self._remove(what, bodies)
        await asyncio.to_thread(self._remove_files, what)
        await self._forgetting.done(what)
        return await asyncio.to_thread(self._forgetting.rewrite)

    async def _remove(self, what: ToForget, bodies: Mapping[str, str]) -> ToForget:
        """The rows; also those of what was made of it since it was looked at."""
        # Asked before their scores go, with which goes what they were held to.
        now = await asyncio.to_thread(self._held_to, what.said, what.room)
        what = replace(what, held=tuple(dict.fromkeys((*what.held, *now))))
        await self._forgetting.remove(what, bodies)
        late = await asyncio.to_thread(self._made_meanwhile, what)
        if late:
            what = replace(what, runs=(*what.runs, *late))
            await self._stop(late)
            await self._forgetting.remove(what, bodies)
        return what

    def _made_meanwhile(self, what: ToForget) -> tuple[str, ...]:
        """Runs that were made of it between the look and the removal."""
        made = self._training.made_of(
            trajectory=what.trajectory, skills=what.texts, turns=what.held
        )
        return tuple(run.id for run in made if run.id not in what.runs)

    async def _take_out_adapters(self, what: ToForget) -> None:
        for adapter in what.adapters:
            try:
                version = await asyncio.to_thread(self._adapters.get, adapter)
            except NotFound:
                continue
            force = await asyncio.to_thread(self._adapters.in_force, version.base_model)
            if adapter in (force.active, force.shadow, force.held):
                to = await asyncio.to_thread(self._ancestor, force.active, set(what.adapters))
                await self._roll_back(version.base_model, to, "a conversation was forgotten")
        # Children first: an adapter is named by those that were trained on it.
        for adapter in reversed(what.adapters):
            try:
                await self._adapters.remove(adapter)
            except (NotFound, Conflict) as error:
                log.info("%s: %s", adapter, error)
            await asyncio.to_thread(self._adapter_files.remove, adapter)

    def _ancestor(self, adapter: str | None, tainted: set[str]) -> str | None:
        """The youngest that is free of it and still there: of old ones only the rows are kept."""
        known = {one.id: one.sha256 for one in self._adapters.all() if one.id not in tainted}
        for one in self._adapters.line(adapter):
            if one in known and not self._adapter_files.damage(one, known[one]):
                return one
        return None

    async def _take_out_skills(self, what: ToForget) -> None:
        library = self._library()
        wanted: dict[SkillKey, str | None] = {SkillKey(c, n): None for c, n in what.skills}
        wanted |= {SkillKey(c, n): sha256 for c, n, sha256 in what.set_back}
        there = {key: sha256 for key, sha256 in wanted.items() if key in library.skills}
        if there:
            await self._approve.set_back(there, why="a conversation was forgotten")

    def _remove_files(self, what: ToForget) -> None:
        for run in what.runs:
            self._folders.remove(run)
        self._skills.folders.forget(
            [SkillKey(client, name) for client, name in what.skills],
            [SkillKey(client, name) for client, name, _ in what.set_back],
            what.texts,
        )
        names = [name for _, name in what.skills]
        for file in self._logs():
            blot(file, [*names, what.trajectory, *what.turns])

    async def _forget_exemplars(self, what: ToForget) -> None:
        memory = await self._exemplars()
        if memory is None:
            return

        def work() -> None:
            memory.remove(memory.of_turns(what.turns))
            for client, name in what.skills:
                memory.remove_skill(client=client, skill=name)
            memory.rewrite()

        await asyncio.to_thread(work)


def _grew_out_of(later: Proposal, earlier: Proposal) -> bool:
    """It edits the earlier one's text, or took the place of it when the user spoke again."""
    if later.base_sha256 and later.base_sha256 == earlier.sha256:
        return True
    gave_way = earlier.status is ProposalStatus.STALE and earlier.before is not None
    near = earlier.changed_at <= later.made_at
    same_room = earlier.key.client == later.key.client
    return gave_way and near and same_room and _shares_words(later, earlier)


def _shares_words(later: Proposal, earlier: Proposal) -> bool:
    one, other = (set(p.text.body.lower().split()) for p in (later, earlier))
    return 2 * len(one & other) >= len(other)


def _said(turns: Sequence[TurnRow]) -> tuple[str, ...]:
    """Message by message, and together what was typed in several behind one answer."""
    words = [
        typed_in(messages)
        for turn in turns
        for messages in (
            turn.request,
            behind_the_answer(turn.request),
            *((one,) for one in turn.request if one.role is Role.USER),
        )
    ]
    return tuple(dict.fromkeys(one for one in words if one))


def _told(
    what: ToForget,
    proposals: Sequence[Proposal],
    runs: Sequence[Run],
    adapters: Sequence[AdapterVersion],
) -> list[str]:
    lines = [f"The skill '{name}' is taken out." for _, name in what.skills]
    lines += [f"The skill '{name}' goes back to the text before." for _, name, _ in what.set_back]
    open_ = [p for p in proposals if p.open and p.kind is not ProposalKind.RETIRE]
    lines += [f"The proposal '{p.key.name}' is dropped." for p in open_]
    lines += [f"The training run {run.id} ({run.kind}) is deleted." for run in runs]
    lines += [f"The adapter {one.id} ({one.status}) is taken back." for one in adapters]
    return lines
