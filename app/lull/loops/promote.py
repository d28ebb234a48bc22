"""How an adapter comes into force, and how it leaves again.

    bring: its files are taken in whole, its row is added
    consider: the gate measures; what it turns down is kept for a look
    then: loaded beside and warmed, on trial for a day, in force; each step flips the pointer in one
    transaction and only then the way of new requests
    live harm, a damaged file or the user's word: back to the one before, at once

A crash at any moment leaves one or the other in force: the pointer is what counts at the next
start. Answers under way hold their adapter themselves and end on it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from lull.core.adapter import (
    BASE,
    HELD_SHARE,
    SHADOW_S,
    SHADOW_SHARE,
    WAS_IN_FORCE,
    AdapterStatus,
    AdapterVersion,
    Arm,
    InForce,
    Learned,
    Shadow,
)
from lull.core.errors import AdapterError, Conflict, EngineError, LullError, NotFound
from lull.core.ports import Clock
from lull.core.verdict import Verdict
from lull.core.way_back import HARM_E, harm_e
from lull.loops.adapters_kept import files_not_needed, versions_needed
from lull.loops.gate import Gate
from lull.store.adapter_files import AdapterFiles
from lull.store.adapters import Adapters
from lull.store.live_rewards import LiveRewards

log = logging.getLogger(__name__)


_ONCE = WAS_IN_FORCE | {AdapterStatus.ACTIVE}


class AdapterHost(Protocol):
    """What serves the models that have adapters."""

    def digest(self, model: str) -> str | None:
        """Of the base weights that are served under this name; None: it is not served here."""

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        """Load it beside what is served, and answer once with it. Raises EngineError,
        RequestError for one that does not fit."""

    def expect(self, version: AdapterVersion, folder: Path) -> None:
        """It is loaded before anything is answered with it; nothing is started for that."""

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        """From now on new requests go this way. Never waits."""

    async def keep_only(self, model: str, versions: Sequence[str]) -> None:
        """Let go of every other version; answers under way keep theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteRule:
    trial_share: float = SHADOW_SHARE
    """0: what the gate accepts is in force at once."""
    trial_s: float = SHADOW_S
    held_share: float = HELD_SHARE
    """0: after its trial an adapter answers everybody, and is held against a mark set before."""
    harm_e: float = HARM_E


class Promote:
    def __init__(
        self,
        *,
        adapters: Adapters,
        files: AdapterFiles,
        gate: Gate,
        live: LiveRewards,
        host: AdapterHost,
        clock: Clock,
        rule: Callable[[], PromoteRule],
        tell: Callable[[AdapterVersion], None],
        problem: Callable[[str, LullError | None], None],
    ) -> None:
        """`tell` is called after every change of an adapter; `problem` by the model's name."""
        self._adapters = adapters
        self._files = files
        self._gate = gate
        self._live = live
        self._host = host
        self._clock = clock
        self._rule = rule
        self._tell = tell
        self._problem = problem
        # Two moves must not load and flip across each other.
        self._moving = asyncio.Lock()
        self._examined: str | None = None
        """Before the gate now: it stays loaded whatever else moves."""

    # Coming

    async def bring(
        self,
        version: AdapterVersion,
        folder: Path,
        learned: Sequence[Learned] = (),
    ) -> AdapterVersion:
        """Take in a finished adapter; its `sha256` is worked out. The same id twice is taken in
        once. Raises AdapterError, StoreError."""
        try:
            return self._adapters.get(version.id)
        except NotFound:
            pass
        sha256 = await asyncio.to_thread(self._files.take_in, version.id, folder)
        made = replace(version, sha256=sha256)
        await self._adapters.add(made, learned)
        self._tell(made)
        return made

    async def consider(self, adapter: str, until_s: float | None = None) -> Verdict | None:
        """Measure until `until_s` on the monotonic clock (None: to the end); None when there is
        more to measure. An accepted one is on trial or in force afterwards. Raises LullError."""
        version = self._adapters.get(adapter)
        if version.status is not AdapterStatus.CANDIDATE and version.verdict is not None:
            return version.verdict
        await self._undamaged(version)
        self._examined = adapter
        verdict = await self._gate.slice(adapter, float("inf") if until_s is None else until_s)
        if verdict is None:
            return None
        self._examined = None
        version = await self._adapters.verdict(adapter, verdict)
        self._tell(version)
        if verdict.accepted:
            await self.accepted(version)
        else:
            log.info("adapter %s was rejected: %s", adapter, "; ".join(verdict.reasons))
            await self._let_go(version.base_model)
        return verdict

    async def accepted(self, version: AdapterVersion) -> None:
        """Put what the gate accepted on trial, or in force at once. Raises LullError."""
        rule = self._rule()
        if rule.trial_share <= 0.0 or rule.trial_s <= 0.0:
            await self.promote(version.id, why="the gate accepted it")
            return
        async with self._moving:
            await self._load(version)
            now, why = self._clock.now(), "the gate accepted it"
            await self._move(
                self._adapters.try_out(version.id, share=rule.trial_share, at=now, why=why)
            )

    async def promote(self, adapter: str, *, why: str, held_share: float = 0.0) -> InForce:
        """Put it in force; what was before goes on answering `held_share` of new conversations.
        Raises NotFound, Conflict, AdapterError, EngineError; then nothing has changed."""
        async with self._moving:
            version = self._adapters.get(adapter)
            await self._undamaged(version)
            await self._load(version)
            now = self._clock.now()
            return await self._move(
                self._adapters.promote(adapter, at=now, why=why, held_share=held_share)
            )

    # Going

    async def roll_back(self, model: str, to: str | None = None, *, why: str) -> InForce:
        """To this adapter; None: to the one that was in force before, or to the base where none
        was. What is on trial is taken back first. Raises as `promote`."""
        async with self._moving:
            force = self._adapters.in_force(model)
            if to is None and force.shadow is not None:
                now = self._clock.now()
                return await self._move(self._adapters.end_trial(model, at=now, why=why))
            if force.active is None and to is None:
                raise Conflict(
                    f"The base of {model} is in force.", hint="There is nothing to take back."
                )
            if to is not None and self._adapters.get(to).status not in _ONCE:
                raise Conflict(
                    f"{to} was never in force.", hint=f"`lull adapters promote {to}` puts it there."
                )
            return await self._back(model, to or self._last_before(force), why=why)

    async def to_base(self, model: str, *, why: str) -> InForce:
        """Raises Conflict where the base is in force already."""
        async with self._moving:
            return await self._back(model, None, why=why)

    async def _back(self, model: str, to: str | None, *, why: str) -> InForce:
        if to is not None:
            version = self._adapters.get(to)
            await self._undamaged(version)
            await self._load(version)
        now = self._clock.now()
        return await self._move(self._adapters.roll_back(model, to, at=now, why=why))

    def _last_before(self, force: InForce) -> str | None:
        """The adapter that was in force before the one that is; one that was taken out is not
        gone back to by itself."""
        for version in self._adapters.past(force.model):
            whole = not self._files.damage(version.id, version.sha256)
            if version.status is AdapterStatus.RETIRED and whole:
                return version.id
        return None

    # Watching

    async def start(self) -> None:
        """Before the doors open: what is in force is served again, or the one before where its
        files are damaged. Blocks nobody on a model."""
        known = [one.id for one in self._adapters.all()]
        await asyncio.to_thread(self._files.sweep, known)
        for model in self._adapters.models():
            await self.take_up(model)

    async def take_up(self, model: str) -> None:
        """Serve what is in force for this model: at the start, and when it has come to be served.
        Blocks nobody on a model."""
        try:
            await self._take_up(model)
        except LullError as error:
            self._host.route(model, BASE, None)
            self._problem(model, error)

    async def _take_up(self, model: str) -> None:
        force = self._adapters.in_force(model)
        for adapter in (force.held, force.shadow, force.active):
            if adapter is None:
                continue
            version = self._adapters.get(adapter)
            wrong = await asyncio.to_thread(self._unusable, version)
            if wrong:
                await self._fall_back(version, wrong)
                await self._take_up(model)
                return
            self._host.expect(version, self._files.folder(adapter))
        self._route(force)

    async def lost(self, sha256: str, error: LullError) -> None:
        """The engine could not load it after a restart."""
        for version in self._adapters.all():
            force = self._adapters.in_force(version.base_model)
            in_use = (force.active, force.shadow, force.held)
            if version.sha256 == sha256 and version.id in in_use:
                await self._fall_back(version, error.detail)
                await self._take_up(version.base_model)

    async def _fall_back(self, version: AdapterVersion, wrong: str) -> None:
        """The row only; whoever calls takes up what is in force then."""
        force, now = self._adapters.in_force(version.base_model), self._clock.now()
        if version.id == force.shadow:
            await self._adapters.end_trial(version.base_model, at=now, why=wrong)
            then = force.active
        elif version.id == force.held:
            then = force.active
            await self._adapters.roll_back(version.base_model, then, at=now, why=wrong)
        else:
            then = await asyncio.to_thread(self._last_before, force)
            await self._adapters.roll_back(version.base_model, then, at=now, why=wrong)
        self._tell(self._adapters.get(version.id))
        self._problem(
            version.base_model,
            AdapterError(
                f"{version.id} cannot be used any more: {wrong}",
                hint=f"{then or 'The base'} answers instead.",
            ),
        )

    async def step(self) -> None:
        """What time and rewards bring: the end of a trial, or the way back. Raises LullError."""
        for model in self._adapters.models():
            force = self._adapters.in_force(model)
            for adapter in (force.shadow, force.active):
                if adapter is not None and await self._harms(adapter, force):
                    break
            else:
                await self._end_of_trial(force)

    async def _harms(self, adapter: str, force: InForce) -> bool:
        version = self._adapters.get(adapter)
        lived = await asyncio.to_thread(self._live.of, version, force)
        # While what was before answers some, the two are held against each other, and not days
        # against days.
        before = () if force.held_share else lived.before
        e = harm_e(adapter, lived.trial, lived.since, before)
        if e < self._rule().harm_e:
            return False
        why = f"conversations go worse with it (e = {e:.0f})"
        if adapter == force.active:
            # Also while another is on trial, which was trained on it and goes with it.
            async with self._moving:
                await self._back(version.base_model, self._last_before(force), why=why)
        else:
            await self.roll_back(version.base_model, why=why)
        self._problem(
            version.base_model,
            AdapterError(
                f"{adapter} was taken back: {why}.",
                hint=f"`lull adapters promote {adapter}` puts it in force again.",
            ),
        )
        return True

    async def _end_of_trial(self, force: InForce) -> None:
        if force.shadow is None or force.since is None:
            return
        if self._clock.now() - force.since >= timedelta(seconds=self._rule().trial_s):
            await self.promote(
                force.shadow,
                why="its day on trial has passed without harm",
                held_share=self._rule().held_share,
            )

    # What all of them share

    def _unusable(self, version: AdapterVersion) -> str:
        digest = self._host.digest(version.base_model)
        if digest is not None and digest != version.base_digest:
            return f"the weights of {version.base_model} are others now"
        return self._files.damage(version.id, version.sha256)

    async def _undamaged(self, version: AdapterVersion) -> None:
        wrong = await asyncio.to_thread(self._unusable, version)
        if wrong:
            raise AdapterError(f"{version.id} cannot be used: {wrong}", hint="Train it again.")

    async def _load(self, version: AdapterVersion) -> None:
        try:
            await self._host.load(version, self._files.folder(version.id))
        except EngineError:
            raise
        except LullError as error:
            raise AdapterError(
                f"{version.id} cannot be used: {error.detail}", hint=error.hint
            ) from error

    async def _move(self, moved: Coroutine[object, object, InForce]) -> InForce:
        """Change the row, and the way of requests with it: whoever asked for it may be stopped in
        between, because the user came or has left, but not the move."""
        move = asyncio.ensure_future(self._carried_out(moved))
        try:
            return await asyncio.shield(move)
        except asyncio.CancelledError:
            await asyncio.wait({move})
            if (error := move.exception()) is not None:
                log.info("a move that nobody waits for any more came to nothing: %s", error)
            raise

    async def _carried_out(self, moved: Coroutine[object, object, InForce]) -> InForce:
        force = await moved
        await self._follow(force)
        return force

    async def _follow(self, force: InForce) -> None:
        """The row has changed: requests go the new way, and what nobody needs is let go."""
        self._route(force)
        for adapter in (force.active, force.shadow):
            if adapter is not None:
                self._tell(self._adapters.get(adapter))
        await self._let_go(force.model)
        await asyncio.to_thread(self._prune, force)

    def _route(self, force: InForce) -> None:
        active = self._arm(force.active)
        shadow = None
        if force.shadow is not None:
            shadow = Shadow(id=force.shadow, arm=self._arm(force.shadow), share=force.share)
        elif force.active is not None and force.held_share:
            shadow = Shadow(
                id=force.active,
                arm=self._arm(force.held),
                share=force.held_share,
                over=active.version,
            )
        self._host.route(force.model, active, shadow)

    def _arm(self, adapter: str | None) -> Arm:
        if adapter is None:
            return BASE
        learned = frozenset(one.sha256 for one in self._adapters.learned(adapter))
        return Arm(version=self._adapters.get(adapter).sha256, learned=learned)

    async def _let_go(self, model: str) -> None:
        examined = (self._examined,) if self._examined is not None else ()
        await self._host.keep_only(model, versions_needed(self._adapters, model, examined))

    def _prune(self, force: InForce) -> None:
        for adapter in files_not_needed(self._adapters, force):
            self._files.remove(adapter)
