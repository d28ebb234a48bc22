"""What `lull train` asks of the service: look at the runs, begin now, end one."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from lull.core.idle_rule import STRAIN
from lull.loops.night import Night
from lull.loops.outlook import Task
from lull.loops.watch_idle import WatchIdle
from lull.service.training_views import run_view, runs_view, sources_view
from lull.store.training import Training

Json = dict[str, Any]
LOOK_S: Final = 0.25


class TrainingRequests:
    def __init__(self, night: Night, watch: WatchIdle, training: Training) -> None:
        self._night = night
        self._watch = watch
        self._training = training

    async def list(self) -> Json:
        return {"runs": runs_view(await asyncio.to_thread(self._training.runs)), **self._next()}

    async def show(self, run: str) -> Json:
        """Raises NotFound."""
        found = await asyncio.to_thread(self._training.get, run)
        sources = await asyncio.to_thread(self._training.sources, run)
        return {"runs": [run_view(found)], "made_of": sources_view(sources)}

    async def cancel(self, run: str) -> Json:
        """Raises NotFound, Conflict."""
        return {"runs": [run_view(await self._night.cancel(run))]}

    async def now(self, wanted: Json) -> Json:
        """Begin without waiting for a lull; heat, battery and memory are still minded. With `wait`
        answer when there is nothing left to do, or when it cannot go on."""
        await self._night.now()
        await self._watch.train_now()
        if wanted.get("wait"):
            await self._done()
        return await self.list()

    async def _done(self) -> None:
        """Raises the error that work has come to."""
        while self._night.outlook.task is not Task.NOTHING:
            if self._strained():
                return
            if (error := self._night.trouble) is not None:
                raise error
            await asyncio.sleep(LOOK_S)
            # Each look keeps the user's word alive while there is work.
            await self._watch.look()

    def _strained(self) -> bool:
        window = self._watch.window
        if window is None or window.open:
            return False
        return any(gate.closes and gate.name in STRAIN for gate in window.gates)

    def _next(self) -> Json:
        outlook = self._night.outlook
        return {
            "doing": outlook.task.value,
            "text": outlook.text,
            "telling_groups": outlook.telling,
            "wanted_groups": outlook.wanted,
        }
