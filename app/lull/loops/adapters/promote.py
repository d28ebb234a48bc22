"""Puts adapters into use after a test and a trial, and rolls them back.

    store_run_adapter: copies a trained adapter's files and adds a database row for it
    run_gate: runs the gate (the test of a new adapter); a rejected adapter is kept for inspection
    start_trial: loads a tested adapter beside the active one and puts it on trial for a day: it
    answers a share of new conversations; then it is promoted (made the active one)
    roll_back: makes the earlier adapter active again, at once when users' answers get worse,
    a file is damaged or the user commands it

Each step changes the adapter's row in one transaction, and only then the routing of new requests.
So after a crash at any moment the row says which adapter is active at the next start. Answers in
progress keep their adapter to the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lull.core.adapters.adapter import (
    BASE,
    HELD_SHARE,
    SHADOW_S,
    SHADOW_SHARE,
    WAS_IN_FORCE,
    AdaptersInForce,
    AdapterStatus,
    AdapterVersion,
    LearnedSkill,
    trial_is_over,
)
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.rollback import HARM_E, harm_e
from lull.core.errors import AdapterError, Conflict, LullError, NotFound
from lull.core.ports import ProblemReporter
from lull.core.skills.skill import Skill
from lull.core.training.record import Run
from lull.loops.adapters.gate import Gate
from lull.loops.adapters.moves import AdapterHost, SwitchAdapters
from lull.loops.chat.lived_clock import LivedClock
from lull.store.adapters.adapter_files import AdapterFiles, UnreadableAdapter
from lull.store.adapters.adapters import Adapters
from lull.store.feedback.live_rewards import LiveRewards
from lull.store.rows.readable_rows import DamagedRow

log = logging.getLogger(__name__)

_ONCE = WAS_IN_FORCE | {AdapterStatus.ACTIVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteRule:
    """The settings of an adapter's trial (a time in which it answers a share of new conversations),
    and of the rollback of an adapter that makes answers worse.
    """

    trial_share: float = SHADOW_SHARE
    """Share of new conversations that go to an adapter on trial; 0 skips the trial."""
    trial_s: float = SHADOW_S
    """Length of a trial in seconds; 0 skips it."""
    held_share: float = HELD_SHARE
    """Share of new conversations that the replaced adapter still answers after a promotion, as a
    control group; with 0 the comparison is with rewards from before.
    """
    harm_e: float = HARM_E
    """E-value at which an adapter counts as harmful and is rolled back."""


class Promote:
    """Puts trained adapters into use, first on trial with a share of new conversations, and rolls
    back those that do harm (implements the interface PromotesAdapters).
    """

    def __init__(
        self,
        *,
        adapters: Adapters,
        files: AdapterFiles,
        gate: Gate,
        live: LiveRewards,
        host: AdapterHost,
        clock: LivedClock,
        rule: Callable[[], PromoteRule],
        tell: Callable[[AdapterVersion], None],
        problems: ProblemReporter,
    ) -> None:
        """The function `rule` returns the settings of trials and rollbacks, `tell` is called after
        every change of an adapter, and `problems` shows the user an error when such a change fails.
        """
        self._adapters = adapters
        self._files = files
        self._gate = gate
        self._live = live
        self._host = host
        self._clock = clock
        self._rule = rule
        self._tell = tell
        self._problems = problems
        self._moves = SwitchAdapters(adapters, files, host=host, tell=tell)
        # Two moves must not interleave loading and switching.
        self._moving = asyncio.Lock()
        self._unread: set[str] = set()  # models of which an adapter's files cannot be read now

    # Into force

    async def store_run_adapter(
        self, run: Run, folder: str, graduates: Skill | None, wrote: str
    ) -> str:
        """Store the adapter that a training run has made, as a child of the active adapter, on
        which its training was based; return its id, the same for the same run. `graduates` is the
        skill that was trained into it, if any, `wrote` the hash of what the trainer wrote ("": not
        known). Raises AdapterError, StoreError.
        """
        active = self._adapters.active(run.model)
        version = AdapterVersion(
            id=run.id.replace("run_", "adapter_", 1),
            parent=active.id if active is not None else None,
            base_model=run.model,
            base_digest=run.base,
            sha256=wrote,
            run=run.id,
            status=AdapterStatus.CANDIDATE,
            made=self._clock.now(),
        )
        learned = [LearnedSkill(skill=graduates.key, sha256=graduates.sha256)] if graduates else []
        return (await self.store_adapter(version, Path(folder), learned)).id

    async def store_adapter(
        self,
        version: AdapterVersion,
        folder: Path,
        learned: Sequence[LearnedSkill] = (),
    ) -> AdapterVersion:
        """Store a finished adapter's files and its database row; return it with its computed
        `sha256`. `learned` are the skills that were trained into it. If it has a `sha256` already,
        files with another one are refused. An adapter with a known id is returned unchanged.

        Raises AdapterError, StoreError.
        """
        try:
            return self._adapters.get(version.id)
        except NotFound:
            pass
        sha256 = await asyncio.to_thread(self._files.take_in, version.id, folder, version.sha256)
        made = replace(version, sha256=sha256)
        await self._adapters.add(made, learned)
        self._tell(made)
        return made

    async def run_gate(self, adapter: str, until_s: float | None = None) -> Verdict | None:
        """Run the gate (the test against the active adapter) for a candidate adapter, and put the
        candidate on trial if it is no worse.

        Stops at `until_s` (monotonic clock; None: measures to the end). Returns the verdict, or
        None if more is left to measure. An accepted adapter is then on trial (it answers a share of
        new conversations) or active. Raises LullError.
        """
        version = self._adapters.get(adapter)
        if version.status is not AdapterStatus.CANDIDATE and version.verdict is not None:
            return version.verdict
        await self._moves.check_usable(version)
        self._moves.examined = adapter
        verdict = await self._gate.slice(adapter, float("inf") if until_s is None else until_s)
        if verdict is None:
            return None
        self._moves.examined = None
        version = await self._adapters.store_verdict(adapter, verdict)
        self._tell(version)
        if verdict.accepted:
            await self.start_trial(version)
        else:
            log.info("adapter %s was rejected: %s", adapter, "; ".join(verdict.reasons))
            await self._moves.unload_unneeded(version.base_model)
        return verdict

    async def start_trial(self, version: AdapterVersion) -> None:
        """Put an adapter that passed its test on trial (it answers a share of new conversations),
        or make it active if trials are switched off. Raises LullError.
        """
        rule = self._rule()
        if rule.trial_share <= 0.0 or rule.trial_s <= 0.0:
            await self.promote(version.id, why="it passed its test")
            return
        async with self._moving:
            await self._moves.load(version)
            share, now, why = rule.trial_share, self._clock.now(), "it passed its test"
            await self._moves.move(self._adapters.try_out(version.id, share=share, at=now, why=why))

    async def promote(self, adapter: str, *, why: str, held_share: float = 0.0) -> AdaptersInForce:
        """Make an adapter the active one: it answers all new requests to its model.

        With `held_share` the earlier adapter still answers that share of new conversations. Raises
        NotFound, Conflict, AdapterError, EngineError or UpstreamDown; then nothing has changed.
        """
        async with self._moving:
            return await self._promote(adapter, why=why, held_share=held_share)

    async def _promote(self, adapter: str, *, why: str, held_share: float) -> AdaptersInForce:
        version = self._adapters.get(adapter)
        await self._moves.check_usable(version)
        await self._moves.load(version)
        now = self._clock.now()
        return await self._moves.move(
            self._adapters.promote(adapter, at=now, why=why, held_share=held_share)
        )

    # Out of force

    async def roll_back(self, model: str, to: str | None = None, *, why: str) -> AdaptersInForce:
        """Have an adapter that was in use before, `to`, answer a model's requests again.

        With `to` None, a running trial of a new adapter (on a share of new conversations) is ended.
        If there is no trial, the adapter before the current one becomes active, or the base model
        if there was none. Raises the same errors as `promote`.
        """
        async with self._moving:
            force = self._adapters.in_force(model)
            if to is None and force.shadow is not None:
                now = self._clock.now()
                return await self._moves.move(self._adapters.end_trial(model, at=now, why=why))
            if force.active is None and to is None:
                raise Conflict(
                    f"No adapter of {model} is in use.", hint="There is nothing to roll back."
                )
            if to is not None and self._adapters.get(to).status not in _ONCE:
                raise Conflict(
                    f"{to} was never in use.", hint=f"`lull adapters promote {to}` puts it there."
                )
            to = to or await asyncio.to_thread(self._last_before, force)
            return await self._back(model, to, why=why)

    async def to_base(self, model: str, *, why: str) -> AdaptersInForce:
        """Have the base model answer all requests, without any adapter.

        Raises Conflict if the base model answers already.
        """
        async with self._moving:
            return await self._back(model, None, why=why)

    async def _back(self, model: str, to: str | None, *, why: str) -> AdaptersInForce:
        if to is not None:
            version = self._adapters.get(to)
            await self._moves.check_usable(version)
            await self._moves.load(version)
        now = self._clock.now()
        return await self._moves.move(self._adapters.roll_back(model, to, at=now, why=why))

    def _last_before(self, force: AdaptersInForce) -> str | None:
        """Return the last undamaged adapter that was active before the current one, except
        rolled-back ones. Blocking.
        """
        for version in self._adapters.past(force.model):
            if version.status is not AdapterStatus.RETIRED:
                continue
            with contextlib.suppress(UnreadableAdapter):
                if not self._files.mend(version.id, version.sha256, version.run):
                    return version.id
        return None

    # Watching

    async def start(self) -> None:
        """Restore each model's active adapter when the service starts; fall back to an earlier one
        where files are damaged.

        Waits for no model.
        """
        known = [one.id for one in self._adapters.origins()]  # not only those that can be read
        await asyncio.to_thread(self._files.sweep, known)
        for model in self._adapters.models():
            await self.route_to_active(model)

    async def route_to_active(self, model: str) -> None:
        """Route a model's requests to its active adapter, as soon as the engine begins to serve the
        model.

        Waits for no model. Where an adapter's files cannot be read now, the base model answers
        until a later step can read them.
        """
        unread = model in self._unread
        self._unread.discard(model)
        try:
            wrong = await self._take_up(model)
        except LullError as error:
            self._host.route(model, BASE, None)
            wrong = error
        if isinstance(wrong, UnreadableAdapter):
            self._unread.add(model)
        if wrong is not None or unread:
            self._problems.set_or_clear(_problem_key(model), wrong)

    async def _take_up(self, model: str) -> LullError | None:
        """Route requests to the adapters in force; return what keeps one of them out of use. One
        beside the active adapter that cannot be read costs only itself.
        """
        force = routed = self._adapters.in_force(model)
        told: LullError | None = None
        for adapter in (force.held, force.shadow, force.active):
            if adapter is None:
                continue
            try:
                version = self._adapters.get(adapter)
                wrong = await asyncio.to_thread(self._moves.why_unusable, version)
            except (DamagedRow, UnreadableAdapter) as error:
                if adapter == force.active:
                    raise
                told, routed = error, replace(routed, held=None, held_share=0.0)
                if adapter == force.shadow:
                    routed = replace(routed, shadow=None)
                continue
            if wrong:
                told = await self._fall_back(version, wrong)
                return await self._take_up(model) or told
            self._host.expect(version, self._files.folder(adapter))
        if self._adapters.in_force(model) != force:  # moved while the files were looked at
            return await self._take_up(model)
        self._moves.route(routed)
        return told

    async def on_load_failure(self, sha256: str, error: LullError) -> None:
        """Fall back to an earlier adapter because the restarted engine could not load the adapter
        with this `sha256`; do nothing if that adapter is not in use.
        """
        for version in self._adapters.all():
            force = self._adapters.in_force(version.base_model)
            in_use = (force.active, force.shadow, force.held)
            if version.sha256 == sha256 and version.id in in_use:
                if not await asyncio.to_thread(self._files.damage, version.id, sha256):
                    await self._fall_back(version, error.detail)  # it is whole, and does not fit
                await self.route_to_active(version.base_model)

    async def _fall_back(self, version: AdapterVersion, wrong: str) -> LullError:
        """Record that a broken adapter is no longer active or on trial, and return what was told
        of it; the caller then changes the routing of requests.
        """
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
        told = AdapterError(
            f"{version.id} cannot be used any more: {wrong}",
            hint=f"{then or 'The base'} answers instead.",
        )
        self._problems.set_or_clear(_problem_key(version.base_model), told)
        return told

    async def step(self) -> None:
        """Check each model's adapters once: roll back one that makes users' answers worse, or else
        end a trial (on a share of new conversations) whose time is over. Raises LullError.
        """
        for model in tuple(self._unread):
            await self.route_to_active(model)
        for model in self._adapters.models():
            with contextlib.suppress(DamagedRow):  # told at the start
                await self._watch(model)

    async def _watch(self, model: str) -> None:
        force = self._adapters.in_force(model)
        for adapter in (force.shadow, force.active):
            if adapter is not None and await self._harms(adapter, force):
                return
        await self._end_of_trial(model)

    async def _harms(self, adapter: str, force: AdaptersInForce) -> bool:
        version = self._adapters.get(adapter)
        lived = await asyncio.to_thread(self._live.of, version, force)
        # While the earlier one answers a share, the two are compared in the same period.
        before = () if force.held_share else lived.before
        if harm_e(adapter, lived.trial, lived.since, before) < self._rule().harm_e:
            return False
        model = version.base_model
        why = "conversations go worse with it, by more than luck explains"
        async with self._moving:
            if self._adapters.in_force(model) != force:
                return True  # the user moved it meanwhile: the next step decides anew
            if adapter == force.active:
                # A trial ends too: an adapter on trial was trained on top of this one.
                before_it = await asyncio.to_thread(self._last_before, force)
                await self._back(model, before_it, why=why)
            else:
                now = self._clock.now()
                await self._moves.move(self._adapters.end_trial(model, at=now, why=why))
        self._problems.set_or_clear(
            _problem_key(version.base_model),
            AdapterError(
                f"{adapter} was rolled back: {why}.",
                hint=f"`lull adapters promote {adapter}` puts it into use again.",
            ),
        )
        return True

    async def _end_of_trial(self, model: str) -> None:
        async with self._moving:
            force = self._adapters.in_force(model)  # as it is now, not before a wait
            if force.shadow is None or force.since is None:
                return
            since, now = force.since, self._clock.now()
            lived = await self._clock.lasted(f"trial:{model}", f"{force.shadow}:{since}")
            if trial_is_over(since, now, lived=lived, trial_s=self._rule().trial_s):
                await self._promote(
                    force.shadow,
                    why="it did no harm while on trial",
                    held_share=self._rule().held_share,
                )


def _problem_key(model: str) -> str:
    """The key under which a failed change of a model's adapter is shown as a problem."""
    return f"adapter of {model}"
