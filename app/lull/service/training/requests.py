"""Handles `lull train`: lists LoRA training runs, starts training now, cancels a run."""

from __future__ import annotations

import asyncio
from typing import Final

from lull.contract.json_object import Json
from lull.core.idle.rule import STRAIN_CONDITIONS
from lull.loops.idle.watch_idle import WatchIdle
from lull.loops.training.next_step import NothingToDo, groups_of
from lull.loops.training.training_job import TrainingJob
from lull.service.training.views import curve_view, run_view, runs_view, sources_view
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training

POLL_S: Final = 0.25
"""Seconds between checks for progress while a request waits."""


class TrainingRequests:
    """Answers the control API's requests about LoRA training."""

    def __init__(
        self, job: TrainingJob, watch: WatchIdle, training: Training, folders: RunFolders
    ) -> None:
        self._job = job
        self._watch = watch
        self._training = training
        self._folders = folders

    async def list(self) -> Json:
        """Return the JSON of all LoRA training runs and of what training will do next."""
        return {"runs": runs_view(await asyncio.to_thread(self._training.runs)), **self._next()}

    async def show(self, run: str) -> Json:
        """Return the JSON of one LoRA training run, of the data it was trained on, and of its
        steps as long as its folder is kept. Raises NotFound.
        """
        found = await asyncio.to_thread(self._training.get, run)
        sources = await asyncio.to_thread(self._training.sources, run)
        steps = await asyncio.to_thread(self._folders.steps, found.id)
        made_of = sources_view(sources)
        return {"runs": [run_view(found)], "made_of": made_of, "curve": curve_view(steps)}

    async def cancel(self, run: str) -> Json:
        """Cancel a LoRA training run. Raises NotFound, Conflict."""
        return {"runs": [run_view(await self._job.cancel(run))]}

    async def train_now(self, wanted: Json) -> Json:
        """Start LoRA training without waiting for idle time; heat, battery and memory limits still
        apply.

        With nothing to train on, nothing is started, and the answer says what is missing. With
        `wait`, returns when there is no training left to do or such a limit forbids it now,
        and raises the LullError that stopped training.
        """
        if not isinstance(await self._job.train_now(), NothingToDo):
            await self._watch.train_now()
        if wanted.get("wait"):
            await self._done()
        return await self.list()

    async def _done(self) -> None:
        """Wait until nothing is left to train or the machine is strained.

        Raises the error that stopped training.
        """
        while not isinstance(self._job.next_step, NothingToDo):
            if self._strained():
                return
            if (error := self._job.trouble) is not None:
                raise error
            await asyncio.sleep(POLL_S)
            # Each check keeps the user's request to train now alive while there is work.
            await self._watch.check_now()

    def _strained(self) -> bool:
        window = self._watch.window
        if window is None or window.open:
            return False
        return any(
            gate.forbids_work and gate.name in STRAIN_CONDITIONS for gate in window.conditions
        )

    def _next(self) -> Json:
        next_step = self._job.next_step
        groups = groups_of(next_step)
        return {
            "doing": next_step.task.value,
            "text": next_step.text,
            "telling_groups": groups.with_signal,
            "wanted_groups": groups.wanted,
        }
