"""Forgets a conversation: finds everything derived from it, reports it, and removes it.

    turns → proposals → skills → other prompts
          → sampled groups → runs → adapters → runs and adapters trained on top of them

A skill (instruction text) that it taught is removed, or set back to its earlier text. A run that
used it is deleted with its folder. An adapter from such a run or built on such an adapter is rolled
back to the youngest ancestor without it. Failures and sampled answers of other conversations become
free again, so later skills and runs can use them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from lull.core.adapters.adapter import AdapterVersion
from lull.core.chat.messages import Role
from lull.core.errors import Conflict, NotFound
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.provenance.authorship import behind_the_answer, typed_in
from lull.core.skills.skill import Library, SkillKey
from lull.core.training.record import Run
from lull.loops.skills.approve import Approve
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.chat.trajectories import Trajectories, TurnRow
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.rewards import Rewards
from lull.store.forgetting import ForgettingRows, ToForget, blot
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Skills
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training
from lull.store.uninterrupted import uninterrupted

log = logging.getLogger(__name__)


class Exemplars(Protocol):
    """Interface to delete from the memory of requests that skills were useful for. Blocking."""

    def remove(self, ids: list[str]) -> None: ...

    def remove_skill(self, *, client: str, skill: str) -> None:
        """Remove a skill's remembered past requests; `client` is "" for a skill of all clients."""

    def of_turns(self, turns: Sequence[str]) -> list[str]: ...

    def rewrite(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What forgetting a conversation removed, or would remove."""

    what: ToForget
    made: tuple[str, ...]
    """Sentences for the user, one for each thing derived from the conversation."""
    left: tuple[Path, ...] = ()
    """Files that may contain text of the conversation and were not checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTables:
    """The tables that may hold a conversation or something derived from it."""

    trajectories: Trajectories
    proposals: Proposals
    skills: Skills
    training: Training
    adapters: Adapters
    rewards: Rewards
    heard: FeedbackRows
    forgetting: ForgettingRows
    """The table that removes the rows, and remembers removals that a crash interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetFiles:
    """The files that may hold a conversation or something derived from it."""

    runs: RunFolders
    adapters: AdapterFiles
    logs: Callable[[], Iterable[Path]]


class ForgetElsewhere(Protocol):
    """What a running service must do elsewhere when a conversation is forgotten (interface)."""

    async def exemplars(self) -> Exemplars | None:
        """Open the memory of past requests that skills were useful for; None if there is none."""

    async def roll_back(self, model: str, *, to: str | None, why: str) -> None:
        """Make another adapter of the model the active one; the base model if `to` is None."""

    async def stop(self, runs: Sequence[str]) -> None:
        """Stop work on training runs that are about to be removed."""

    async def afterwards(self) -> None:
        """Refresh the service's caches after a conversation was forgotten."""


class Forget:
    """Finds and removes everything derived from a conversation."""

    def __init__(
        self,
        tables: ForgetTables,
        files: ForgetFiles,
        elsewhere: ForgetElsewhere,
        *,
        approve: Approve,
        library: Callable[[], Library],
    ) -> None:
        self._tables = tables
        self._files = files
        self._elsewhere = elsewhere
        self._approve = approve
        self._library = library

    # Finding

    def look(self, conversation: str) -> Forgotten:
        """Find what forgetting the conversation would remove. Blocking. Raises NotFound."""
        _, turns = self._tables.trajectories.get(conversation)
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
            names=tuple(dict.fromkeys(p.key.name for p in proposals)),
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
        """Return the texts that the user typed in the conversation, and the wishes heard in
        these."""
        heard = self._tables.heard.of([turn.id for turn in turns])
        rules = [one.heard.rule for one in heard.values() if one.heard.rule]
        return tuple(dict.fromkeys((*_said(turns), *rules)))

    def _room_of(self, turns: Sequence[str]) -> str:
        return next((served.room for served in self._tables.rewards.served(turns[:1])), "")

    def _held_to(self, said: Sequence[str], room: str) -> tuple[str, ...]:
        """Return the turns scored by these words in this room; elsewhere the words are someone
        else's.
        """
        return tuple(self._tables.rewards.held_to(said, room=room))

    def _taught(self, turns: set[str]) -> list[Proposal]:
        """Return the proposals made from this conversation, and those derived from the texts of
        these.
        """
        every = sorted(
            self._tables.proposals.standing(everything=True), key=lambda p: (p.made_at, p.id)
        )
        found: dict[str, Proposal] = {}
        for proposal in every:
            own = {*proposal.failures, *proposal.wish_turns, *(t.turn for t in proposal.traces)}
            if own & turns or any(_grew_out_of(proposal, other) for other in found.values()):
                found[proposal.id] = proposal
        return list(found.values())

    def _skills_of(
        self, proposals: Sequence[Proposal], texts: set[str]
    ) -> tuple[list[SkillKey], dict[SkillKey, str]]:
        """Return (skills to remove, skills to set back → sha256 of the earlier text)."""
        gone: list[SkillKey] = []
        back: dict[SkillKey, str] = {}
        approved = {p.sha256 for p in proposals if p.status is ProposalStatus.APPROVED}
        for key in self._library().skills:
            history = self._tables.skills.history(key)  # newest first
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
        """Return every later text of these skills: an edit keeps most of the text before."""
        kept = self._kept(gone, back)
        found = []
        for key in (*gone, *back):
            for row in self._tables.skills.history(key):
                if key in back and row.sha256 == back[key]:
                    break
                if row.sha256 not in kept:
                    found.append(row.sha256)
        return found

    def _kept(self, gone: Sequence[SkillKey], back: dict[SkillKey, str]) -> set[str]:
        """Return the texts that other skills use too, such as a starter skill in another room."""
        touched = {*gone, *back}
        others = [key for key in self._library().skills if key not in touched]
        return {
            *back.values(),
            *(r.sha256 for key in others for r in self._tables.skills.history(key)),
        }

    def _trained(
        self, conversation: str, texts: Sequence[str], held: Sequence[str]
    ) -> tuple[list[Run], list[AdapterVersion]]:
        """Return the runs and adapters that used the conversation, and all that were trained on top
        of these.

        `held` are other conversations' turns that were scored by its wishes.
        """
        made = self._tables.training.made_of(trajectory=conversation, skills=texts, turns=held)
        runs = {run.id: run for run in made}
        adapters: dict[str, AdapterVersion] = {}
        every, all_runs = self._tables.adapters.all(), self._tables.training.runs()
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

    # Removing

    async def forget(self, conversation: str) -> Forgotten:
        """Remove a conversation and everything derived from it. Raises NotFound, StoreError.

        A caller that is cancelled does not stop it once it has begun to remove.
        """
        found = await asyncio.to_thread(self.look, conversation)
        left = await uninterrupted(self._intended(found.what))
        return Forgotten(what=found.what, made=found.made, left=tuple(left))

    async def _intended(self, what: ToForget) -> list[Path]:
        await self._tables.forgetting.intend(what)
        return await self._carry_out(what)

    async def finish(self) -> None:
        """Finish forgetting the conversations whose removal a crash interrupted."""
        for what in await asyncio.to_thread(self._tables.forgetting.intended):
            log.info("going on forgetting %s", what.trajectory)
            await self._carry_out(what)
        if await asyncio.to_thread(self._tables.forgetting.to_rewrite):
            await asyncio.to_thread(self._tables.forgetting.rewrite)

    async def _carry_out(self, what: ToForget) -> list[Path]:
        """Remove everything; each step is idempotent."""
        await self._elsewhere.stop(what.runs)
        await self._take_out_adapters(what)
        await self._take_out_skills(what)
        bodies = {s.sha256: s.body for s in self._library().skills.values()}
        what = await self._remove(what, bodies)
        await self._forget_exemplars(what)
        await self._elsewhere.afterwards()
        # Until then answers may have been scored by its wishes.
        what = await self._remove(what, bodies)
        await asyncio.to_thread(self._remove_files, what)
        await self._tables.forgetting.done(what)
        return await asyncio.to_thread(self._tables.forgetting.rewrite)

    async def _remove(self, what: ToForget, bodies: Mapping[str, str]) -> ToForget:
        """Remove the rows, including those of runs made since the search."""
        # Read before the scores are removed, which record the wishes they came from.
        now = await asyncio.to_thread(self._held_to, what.said, what.room)
        what = replace(what, held=tuple(dict.fromkeys((*what.held, *now))))
        await self._tables.forgetting.remove(what, bodies)
        late = await asyncio.to_thread(self._made_meanwhile, what)
        if late:
            what = replace(what, runs=(*what.runs, *late))
            await self._elsewhere.stop(late)
            await self._tables.forgetting.remove(what, bodies)
        return what

    def _made_meanwhile(self, what: ToForget) -> tuple[str, ...]:
        """Return the runs made from the conversation between the search and the removal."""
        made = self._tables.training.made_of(
            trajectory=what.trajectory, skills=what.texts, turns=what.held
        )
        return tuple(run.id for run in made if run.id not in what.runs)

    async def _take_out_adapters(self, what: ToForget) -> None:
        for adapter in what.adapters:
            try:
                version = await asyncio.to_thread(self._tables.adapters.get, adapter)
            except NotFound:
                continue
            force = await asyncio.to_thread(self._tables.adapters.in_force, version.base_model)
            if adapter in (force.active, force.shadow, force.held):
                to = await asyncio.to_thread(self._ancestor, force.active, set(what.adapters))
                await self._elsewhere.roll_back(
                    version.base_model, to=to, why="a conversation was forgotten"
                )
        # Children first: an adapter's row is referenced by those trained on top of it.
        for adapter in reversed(what.adapters):
            try:
                await self._tables.adapters.remove(adapter)
            except (NotFound, Conflict) as error:
                log.info("%s: %s", adapter, error)
            await asyncio.to_thread(self._files.adapters.remove, adapter)

    def _ancestor(self, adapter: str | None, tainted: set[str]) -> str | None:
        """Return an adapter's youngest ancestor that was not trained on the conversation and whose
        files still exist.
        """
        known = {one.id: one.sha256 for one in self._tables.adapters.all() if one.id not in tainted}
        for one in self._tables.adapters.line(adapter):
            if one in known and not self._files.adapters.damage(one, known[one]):
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
            self._files.runs.remove(run)
        self._tables.skills.folders.forget(
            [SkillKey(client, name) for client, name in what.skills],
            [SkillKey(client, name) for client, name, _ in what.set_back],
            what.texts,
        )
        for file in self._files.logs():
            blot(file, [*self._names(what), what.trajectory, *what.turns])

    def _names(self, what: ToForget) -> set[str]:
        """Return the names of the skills and proposals to delete, since a name is made of the words
        that taught the skill. Names that remaining skills share are left out.
        """
        names = {name for _, name in what.skills} | set(what.names)
        stay = self._library().skills.keys() - {SkillKey(c, n) for c, n in what.skills}
        return names - {key.name for key in stay}

    async def _forget_exemplars(self, what: ToForget) -> None:
        memory = await self._elsewhere.exemplars()
        if memory is None:
            return

        def work() -> None:
            memory.remove(memory.of_turns(what.turns))
            for client, name in what.skills:
                memory.remove_skill(client=client, skill=name)
            memory.rewrite()

        await asyncio.to_thread(work)


def _grew_out_of(later: Proposal, earlier: Proposal) -> bool:
    """Whether a proposal edits the earlier one's text, or replaced it when the user spoke again."""
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
    """Return each typed message, and the joined text of several messages after one answer."""
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
