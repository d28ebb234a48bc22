"""What the slow loop does next: sample, make a run, train it, bring it before the gate.

    1. a run that was begun is trained to its end, or superseded with its reason
    2. of groups: the next round is sampled from its adapter, as long as that still gets better
    3. what is trained goes before the gate
    4. else: a well proved skill is trained in; else groups are sampled until there are enough;
       else single answers are trained on

Nothing here waits or works by itself: `look` says what is to be done, and lulls do it
(`loops/training_work.py`). What is left over stays where it is and is looked at again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from lull.core.errors import Conflict, LullError, TrainingError
from lull.core.ports import Clock
from lull.core.rollout import Policy, RolloutGroup, chosen_groups, mean_reward
from lull.core.skill import Library, Skill
from lull.core.training_record import AT_WORK, Run, RunStatus
from lull.core.training_run import RunKind
from lull.core.verdict import Verdict
from lull.loops.learner import Learner
from lull.loops.make_run import Before, MakeRun, Material
from lull.loops.outlook import Outlook, Task, TrainRule
from lull.loops.rollout import Rollouts
from lull.loops.stock import ENOUGH, Stock, counts
from lull.store.reward_rows import Served
from lull.store.run_folders import RunFolders
from lull.store.training import Training

log = logging.getLogger(__name__)


class Gate(Protocol):
    """Brings a trained adapter before the gate, and into force where it holds."""

    async def bring(self, run: Run, folder: str, graduates: Skill | None) -> str:
        """The adapter's id; the same for the same run. Raises LullError."""

    async def consider(self, adapter: str, until_s: float) -> Verdict | None:
        """Measure until `until_s` on the monotonic clock; None: there is more to measure.
        An accepted one is in force, or on trial, afterwards. Raises LullError."""


class Train:
    def __init__(
        self,
        *,
        learner: Callable[[], Awaitable[Learner | None]],
        why_no_learner: Callable[[], str],
        training: Training,
        folders: RunFolders,
        rollouts: Rollouts,
        make_run: MakeRun,
        stock: Stock,
        library: Callable[[], Library],
        clock: Clock,
        rule: Callable[[], TrainRule],
    ) -> None:
        self._learner = learner
        self._why_no_learner = why_no_learner
        self._training = training
        self._folders = folders
        self._rollouts = rollouts
        self._make_run = make_run
        self._stock = stock
        self._library = library
        self._clock = clock
        self._rule = rule
        self._loaded: set[str] = set()
        """Adapters of unfinished courses that the engine was given."""

    # Looking

    async def look(self, *, hurry: bool = False) -> Outlook:
        """What is to be done now. With `hurry` a run begins with fewer groups. Supersedes runs that
        may not go on. Raises StoreError, EngineError."""
        if not self._rule().enabled:
            return Outlook(task=Task.NOTHING, text="Training is switched off in the settings.")
        learner = await self._learner()
        if learner is None:
            return Outlook(task=Task.NOTHING, text=self._why_no_learner())
        open_ = await self._open_run(learner)
        if open_ is not None and open_.status in AT_WORK:
            return Outlook(task=Task.TRAIN, text=_trains(open_), learner=learner, run=open_)
        if open_ is not None and open_.status is RunStatus.JUDGING:
            return Outlook(task=Task.JUDGE, text=_judges(open_), learner=learner, run=open_)
        recent = await asyncio.to_thread(self._rollouts.candidates, learner.name)
        if open_ is not None:
            return await self._after_training(learner, open_, tuple(recent))
        if learner.on_trial:
            text = f"{learner.on_trial} is on trial; what comes next goes on from what is kept."
            return Outlook(task=Task.NOTHING, text=text, learner=learner)
        return await self._anew(learner, tuple(recent), hurry=hurry)

    async def _open_run(self, learner: Learner) -> Run | None:
        """The run that was begun and may go on; others are superseded."""
        found: Run | None = None
        open_ = {*AT_WORK, RunStatus.TRAINED, RunStatus.JUDGING}
        for run in await asyncio.to_thread(self._training.runs, open_):
            why = await asyncio.to_thread(self._stock.superseded, run, learner)
            if run.status in AT_WORK and not self._folders.exists(run.id):
                why = "Its folder is gone."
            if why:
                await self.end(run.id, RunStatus.SUPERSEDED, why)
            elif found is None:
                found = run
        return found

    async def _after_training(
        self, learner: Learner, run: Run, recent: tuple[Served, ...]
    ) -> Outlook:
        """Of groups: sample from the new adapter and go on, while there is something to gain."""
        judge = Outlook(task=Task.JUDGE, text=_judges(run), learner=learner, run=run)
        if run.kind is not RunKind.GRPO:
            return judge
        rule = self._rule()
        policy = Policy(base=learner.digest, adapter=course_version(run.id))
        await self._give(learner, policy.adapter, str(self._folders.adapter(run.id)))
        book = await asyncio.to_thread(self._rollouts.book, learner.name)
        telling = await asyncio.to_thread(self._rollouts.telling, book, policy)
        all_ = await asyncio.to_thread(self._rollouts.all_of, book, policy)
        more = await asyncio.to_thread(self._rollouts.next_of, book, policy) is not None
        seen = Outlook(
            task=Task.SAMPLE,
            text=f"Sampling answers of round {run.round}",
            learner=learner,
            book=book,
            recent=recent,
            policy=policy,
            sampled=len(all_),
            telling=_reached(telling, all_, rule),
            wanted=rule.groups_a_run,
            run=run,
            kind=RunKind.GRPO,
        )
        if more and seen.telling < rule.groups_a_run:
            return seen
        reward = mean_reward(all_)
        await self._training.change(run.id, lambda now: _rewarded(now, reward))
        done = run.round >= rule.rounds or (reward is not None and reward >= ENOUGH)
        if done or len(telling) < min(rule.groups_at_least, rule.groups_a_run):
            return judge
        return replace(seen, task=Task.MAKE, text=f"Making round {run.round + 1}")

    async def _anew(self, learner: Learner, recent: tuple[Served, ...], *, hurry: bool) -> Outlook:
        rule = self._rule()
        blank = Outlook(task=Task.NOTHING, text="", learner=learner, recent=recent)
        if rule.graduation:
            found = await asyncio.to_thread(self._stock.to_graduate, recent)
            if found is not None:
                text = f"Making a run of the skill '{found.name}'"
                kind = RunKind.GRADUATION
                return replace(blank, task=Task.MAKE, text=text, kind=kind, skill=found)
        said: list[str] = []
        if rule.groups:
            seen = await self._groups(blank, hurry=hurry)
            if seen.task is not Task.NOTHING:
                return seen
            said.append(seen.text)
            blank = replace(seen, text="", kind=None, policy=None)
        if rule.single_answers:
            labelled = await asyncio.to_thread(self._stock.labelled, recent)
            good, bad = counts([one for one in labelled if not one[0].held_out])
            if good + bad >= rule.labels_a_run and min(good, bad) >= rule.labels_of_the_rarer:
                text = "Making a run of recorded answers"
                return replace(blank, task=Task.MAKE, text=text, kind=RunKind.KTO)
            said.append(
                f"{good} good and {bad} bad answers have a sure score; {rule.labels_a_run} are"
                f" wanted, {rule.labels_of_the_rarer} of each."
            )
        return replace(blank, text=" ".join(said) or "Every kind of training is switched off.")

    async def _groups(self, blank: Outlook, *, hurry: bool) -> Outlook:
        learner, rule = blank.learner, self._rule()
        assert learner is not None
        policy = learner.policy
        book = await asyncio.to_thread(self._rollouts.book, learner.name)
        if why := await asyncio.to_thread(self._stock.nothing_to_gain, book, policy):
            return replace(blank, text=why, book=book)
        telling = await asyncio.to_thread(self._rollouts.telling, book, policy)
        more = await asyncio.to_thread(self._rollouts.next_of, book, policy) is not None
        seen = replace(
            blank,
            text="Sampling answers",
            book=book,
            policy=policy,
            telling=len(telling),
            wanted=rule.groups_a_run,
            kind=RunKind.GRPO,
        )
        enough = rule.groups_a_run
        if hurry and not more:
            enough = min(enough, rule.groups_at_least)
        if len(telling) >= enough:
            return replace(seen, task=Task.MAKE, text="Making a run of sampled answers")
        if more:
            return replace(seen, task=Task.SAMPLE)
        scored = len(book.prompts)
        text = (
            f"{scored} requests may train and can be scored, {book.unscored} cannot;"
            f" {len(telling)} groups of sampled answers tell good from bad,"
            f" {rule.groups_a_run} are wanted."
        )
        return replace(seen, task=Task.NOTHING, text=text)

    # Acting

    async def make(self, outlook: Outlook) -> Run:
        """The run that `look` has decided on. Raises StoreError, EngineError, Conflict,
        TrainingError."""
        learner = outlook.learner
        assert learner is not None
        material = await self._material(outlook, learner)
        if not material.examples:
            raise TrainingError(
                "Nothing is left of what the run would have been made of.",
                hint="Its conversations have gone, or do not fit into the model's window.",
            )
        last = outlook.run
        if last is None:
            before = Before(root=learner.adapter, folder=learner.adapter_folder)
        else:
            before = Before(
                root=last.root,
                folder=str(self._folders.adapter(last.id)),
                parent=last.id,
                round=last.round + 1,
            )
        return await self._make_run.make(
            learner, material, before, outlook.recent, goes_on=self._continued
        )

    def _continued(self, last: Run, by: str) -> Run:
        if last.status is not RunStatus.TRAINED:
            raise Conflict(f"{last.id} is {last.status} meanwhile.")
        return self._moved(last, RunStatus.CONTINUED, f"{by} goes on.")

    async def _material(self, outlook: Outlook, learner: Learner) -> Material:
        match outlook.kind:
            case RunKind.GRPO:
                policy = outlook.policy or learner.policy
                telling = await asyncio.to_thread(self._rollouts.telling, outlook.book, policy)
                groups = chosen_groups(telling, most=self._rule().groups_a_run)
                sampled = await asyncio.to_thread(self._rollouts.all_of, outlook.book, policy)
                return self._make_run.of_groups(
                    groups, outlook.book.prompts, before=mean_reward(sampled)
                )
            case RunKind.GRADUATION:
                assert outlook.skill is not None
                served = await asyncio.to_thread(
                    self._stock.served_by, outlook.skill, outlook.recent
                )
                own = [prompt for prompt in served if not prompt.held_out]
                return await self._make_run.of_skill(learner, outlook.skill, own)
            case _:
                labelled = await asyncio.to_thread(self._stock.labelled, outlook.recent)
                open_ = [one for one in labelled if not one[0].held_out]
                return await self._make_run.of_labels(learner, open_)

    async def sample(self, outlook: Outlook) -> int:
        """A few groups of what `look` has decided on; how many. Raises LullError."""
        assert outlook.learner is not None and outlook.policy is not None
        return await self._rollouts.some(outlook.learner, outlook.policy, outlook.book)

    def telling(self, outlook: Outlook) -> int:
        """How far the sampling has come, of `outlook.wanted`. Blocks."""
        assert outlook.policy is not None
        telling = self._rollouts.telling(outlook.book, outlook.policy)
        if outlook.run is None:
            return len(telling)
        sampled = self._rollouts.all_of(outlook.book, outlook.policy)
        return _reached(telling, sampled, self._rule())

    async def end(self, run: str, status: RunStatus, why: str) -> Run:
        """A run that comes to nothing: its groups are free for the next one."""
        log.info("run %s: %s (%s)", run, status, why)
        return await self._training.change(
            run, lambda now: self._moved(now, status, why), free=True
        )

    async def judging(self, run: Run, gate: Gate) -> Run:
        """Bring it before the gate."""
        graduates = next(
            (s for s in self._library().skills.values() if s.sha256 == run.graduates), None
        )
        adapter = await gate.bring(run, str(self._folders.adapter(run.id)), graduates)
        return await self._training.change(
            run.id,
            lambda now: replace(self._moved(now, RunStatus.JUDGING, run.why), adapter=adapter),
        )

    async def judged(self, run: Run, verdict: Verdict) -> Run:
        """Who cancelled it meanwhile has the last word."""
        status = RunStatus.PROMOTED if verdict.accepted else RunStatus.REJECTED
        why = "" if verdict.accepted else " ".join(verdict.reasons)

        def plan(now: Run) -> Run:
            if now.status is not RunStatus.JUDGING:
                return now
            return replace(
                self._moved(now, status, why or now.why),
                verdict="accepted" if verdict.accepted else "rejected",
                reasons=verdict.reasons,
            )

        return await self._training.change(run.id, plan)

    async def _give(self, learner: Learner, version: str, folder: str) -> None:
        """Let the engine have the adapter of an unfinished course, and forget older ones."""
        if version in self._loaded and version in (await learner.engine.status()).adapters:
            return
        for old in tuple(self._loaded):
            self._loaded.discard(old)
            try:
                await learner.engine.drop_adapter(old)
            except LullError as error:
                log.info("%s could not be dropped: %s", old, error)
        await learner.engine.load_adapter(version, folder)
        self._loaded.add(version)

    def _moved(self, run: Run, status: RunStatus, why: str) -> Run:
        return replace(run, status=status, why=why, changed_at=self._clock.now())


def course_version(run: str) -> str:
    """Under which the engine knows the adapter of a run that is not served to anybody."""
    return f"run:{run}"


def _reached(
    telling: Sequence[RolloutGroup], sampled: Sequence[RolloutGroup], rule: TrainRule
) -> int:
    """Between two rounds, of `groups_a_run`. Where most answers are good already few groups tell
    anything, and twice as many of any kind show how good it has become; where few are, it is
    sampled until there is something to learn from."""
    seen_enough = len(sampled) >= 2 * rule.groups_a_run
    reward = mean_reward(sampled)
    good = reward is not None and reward >= ENOUGH
    if seen_enough and (good or len(telling) >= rule.groups_at_least):
        return rule.groups_a_run
    return len(telling)


def _rewarded(run: Run, reward: float | None) -> Run:
    return replace(run, progress=replace(run.progress, reward_after=reward))


_WHAT = {
    RunKind.GRPO: "sampled answers",
    RunKind.KTO: "recorded answers",
    RunKind.GRADUATION: "a skill",
}


def _trains(run: Run) -> str:
    more = f", round {run.round}" if run.round > 1 else ""
    return f"Training on {_WHAT[run.kind]}{more}"


def _judges(run: Run) -> str:
    return f"Testing what was trained on {_WHAT[run.kind]}"
