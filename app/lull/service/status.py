"""`lull status` and `lull doctor` of a running service: what runs, what is wrong, what to do."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from lull import __version__
from lull.core.errors import StoreError
from lull.core.skill import SkillStatus
from lull.resources import INSTALL_AGAIN
from lull.service import checks, lull_checks
from lull.service.checks import check, tried
from lull.service.wiring.own_models import BUILT_IN, BUILT_IN_PROBLEM
from lull.service.wiring.service import Service
from lull.service.wiring.together import open_secrets

Json = dict[str, Any]


class Status:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def status(self) -> Json:
        service = self._service
        library = service.current.library
        active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
        conversations, turns = await asyncio.to_thread(service.stores.trajectories.counts)
        trust = await asyncio.to_thread(self._trust)
        adapter, adapter_id = await asyncio.to_thread(service.adapters.control.in_force)
        if trust.pop("first_asked"):
            await service.stores.rewards.asked(trust["question"], at=service.clock.now())
        return {
            "running": True,
            "address": service.address,
            "pid": os.getpid(),
            "version": __version__,
            "home": str(service.paths.home),
            "token": service.token or None,
            "upstream": {
                "kind": "builtin" if service.upstream.alone else "ollama",
                "address": service.ollama.address,
                "ok": service.ollama.state.ok,
                "version": service.ollama.state.version or None,
            },
            "policy": {
                "model": await asyncio.to_thread(self._model),
                "adapter": adapter,
                "adapter_id": adapter_id,
                "generation": library.generation,
            },
            "skills": {
                "active": active,
                "proposals": len(await asyncio.to_thread(service.learning.review.proposals)),
            },
            "conversations": conversations,
            "turns": turns,
            "in_flight": service.data_plane.in_flight,
            "helpers": service.exam_requests.roles(),
            "learning": (await service.watch.why()).as_dict(),
            **trust,
            "problems": [*service.problems.standing(), *self._not_recording()],
        }

    def _trust(self) -> Json:
        trust = self._service.trust
        question, first_asked = trust.question()
        return {
            "question": question,
            "first_asked": first_asked,
            "judge": trust.judge(),
            "sources": trust.sources(),
        }

    def _not_recording(self) -> list[dict[str, str]]:
        """Answers go on without the store, so somebody must say that it fails."""
        database = self._service.stores.database
        if not database.failing:
            return []
        words = StoreError(
            f"{database.path} cannot be written: what is said now is not recorded.",
            hint="`lull doctor` says why.",
        )
        return [words.as_dict()]

    def _model(self) -> str:
        """The model in use: the last one that was asked for, else the newest that Ollama has."""
        rows, _ = self._service.stores.trajectories.page(limit=1)
        if rows:
            return rows[0].model
        return next(iter(self._service.ollama.state.models), BUILT_IN)

    async def doctor(self) -> Json:
        service = self._service
        stores, ollama = service.stores, service.ollama
        looked = [
            check("service", ok=True, text=f"{checks.runtime()}, process {os.getpid()}."),
            tried("settings", lambda: checks.settings(service.paths.settings)),
            self._address(),
            checks.ollama(
                ollama.address,
                ok=ollama.state.ok,
                version=ollama.state.version,
                models=len(ollama.state.models),
            ),
            await self._engine(),
            await asyncio.to_thread(
                tried, "store", lambda: checks.store(stores.database, stores.trajectories)
            ),
            await asyncio.to_thread(
                tried,
                "skills",
                lambda: checks.skills(stores.skills.folders, service.current.library),
            ),
            await asyncio.to_thread(tried, "reader", self._reader),
            await asyncio.to_thread(self._memory),
            checks.exams(service.exam_requests.roles()),
            *(await self._lulls()),
            await asyncio.to_thread(tried, "keychain", self._keychain, serious=False),
            await asyncio.to_thread(tried, "disk", lambda: checks.disk(service.paths.home)),
            await asyncio.to_thread(checks.speed),
        ]
        said = {one["text"] for one in looked}
        for problem in service.problems.standing():
            if problem["detail"] not in said:
                text = f"{problem['title']}: {problem['detail']}"
                looked.append(
                    check("problem", ok=False, text=text, hint=problem["hint"], serious=False)
                )
        return {"checks": looked}

    def _address(self) -> Json:
        address = self._service.address
        if not self._service.token:
            return check("address", ok=True, text=f"{address}, for this machine only.")
        return check("address", ok=True, text=f"{address}, for the network, with a token.")

    async def _engine(self) -> Json:
        if not self._service.local.serves(BUILT_IN):
            problem = self._service.problems.of(BUILT_IN_PROBLEM) or {}
            text = problem.get("detail", "The built-in model is missing.")
            return check("engine", ok=False, text=text, hint=problem.get("hint", INSTALL_AGAIN))
        return await checks.engine(self._service.engine)

    async def _lulls(self) -> list[Json]:
        service = self._service
        window = (await service.watch.why()).window
        await service.calendars.load()
        return [
            lull_checks.idle_source(window),
            lull_checks.lulls(window, watching=service.watch.watching),
            lull_checks.calendars(service.calendars.feeds(), service.clock.now()),
        ]

    def _reader(self) -> str:
        service = self._service
        waiting = service.stores.feedback.count_waiting()
        return checks.reader(service.learning.reader.check, waiting)

    def _memory(self) -> Json:
        memory = self._service.memory.exemplars
        if memory is None:
            return check("memory", ok=True, text="The exemplar memory is not open yet.")
        return check("memory", ok=True, text=f"{memory.count()} past requests credited to skills.")

    def _keychain(self) -> str:
        return checks.keychain(*open_secrets(self._service.settings, self._service.paths))
