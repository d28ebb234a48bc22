"""`lull status` and `lull doctor`: what runs, what is wrong, what to do about it."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from typing import Any

from lull import __version__
from lull.core.errors import LullError
from lull.core.skill import SkillStatus
from lull.service.wiring import BUILT_IN, Service

Json = dict[str, Any]

FREE_MB = 500
"""Below this a night's records may not fit."""


class Status:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def status(self) -> Json:
        service = self._service
        library = service.current.library
        active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
        conversations, turns = await asyncio.to_thread(service.stores.trajectories.counts)
        return {
            "running": True,
            "address": service.address,
            "pid": os.getpid(),
            "version": __version__,
            "upstream": {
                "kind": "builtin" if service.upstream.alone else "ollama",
                "address": service.ollama.address,
                "ok": service.ollama.state.ok,
                "version": service.ollama.state.version or None,
            },
            "policy": {
                "model": BUILT_IN if service.upstream.empty else None,
                "adapter": None,
                "generation": library.generation,
            },
            "skills": {"active": active, "proposals": 0},
            "conversations": conversations,
            "turns": turns,
            "in_flight": service.data_plane.in_flight,
            "learning": {
                "state": "off",
                "because": "Learning in idle time is not part of this version yet.",
                "until": None,
                "next": None,
                "gates": [],
                "work": [],
            },
            "problems": service.problems.standing(),
        }

    async def doctor(self) -> Json:
        checks = [
            self._check_runtime(),
            self._check_upstream(),
            await self._check_engine(),
            await asyncio.to_thread(self._check_store),
            self._check_skills(),
            self._check_memory(),
            self._check_disk(),
        ]
        for problem in self._service.problems.standing():
            text = f"{problem['title']}: {problem['detail']}"
            checks.append(check("problem", ok=False, text=text, hint=problem["hint"]))
        return {"checks": checks}

    def _check_runtime(self) -> Json:
        system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        text = f"Lull {__version__} at {self._service.address} on {system}."
        return check("service", ok=sys.version_info >= (3, 11), text=text)

    def _check_upstream(self) -> Json:
        ollama = self._service.ollama
        if ollama.state.ok:
            models = len(ollama.state.models)
            text = f"Ollama {ollama.state.version} at {ollama.address} has {models} models."
            hint = "" if models else "Get one with `ollama pull`; until then there is 'pocket'."
            return check("ollama", ok=True, text=text, hint=hint)
        text = f"Ollama does not answer at {ollama.address}; the built-in model does."
        return check("ollama", ok=False, text=text, hint="Start it with `ollama serve`.")

    async def _check_engine(self) -> Json:
        if not self._service.local.serves(BUILT_IN):
            return check(
                "engine", ok=False, text="The built-in model is missing.", hint="Reinstall."
            )
        try:
            status = await self._service.engine.status()
        except LullError as error:
            return check("engine", ok=False, text=error.detail, hint=error.hint)
        text = "The engine is not loaded; it starts when it is asked for."
        if status.loaded:
            text = f"The engine runs, {status.memory_mb:.0f} MB, {status.in_flight} in flight."
        return check("engine", ok=True, text=text)

    def _check_store(self) -> Json:
        database = self._service.stores.database
        try:
            conversations, turns = self._service.stores.trajectories.counts()
        except LullError as error:
            return check("store", ok=False, text=error.detail, hint=error.hint)
        size_mb = database.size_bytes() / 1e6
        text = f"{conversations} conversations, {turns} turns, {size_mb:.1f} MB in {database.path}."
        lost = database.dropped
        if lost:
            return check(
                "store", ok=False, text=f"{lost} records were lost.", hint="Disk too slow?"
            )
        return check("store", ok=True, text=text)

    def _check_skills(self) -> Json:
        library = self._service.current.library
        active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
        text = f"Generation {library.generation}, {active} active skills."
        return check("skills", ok=True, text=text)

    def _check_memory(self) -> Json:
        memory = self._service.memory
        text = "The exemplar memory is not open yet."
        if memory is not None:
            text = f"{memory.count()} past requests credited to skills."
        return check("memory", ok=True, text=text)

    def _check_disk(self) -> Json:
        free_mb = shutil.disk_usage(self._service.paths.home).free / 1e6
        text = f"{free_mb / 1000:.1f} GB free at {self._service.paths.home}."
        hint = "" if free_mb > FREE_MB else "Free some space, or set records.keep_mb lower."
        return check("disk", ok=free_mb > FREE_MB, text=text, hint=hint)


def check(name: str, *, ok: bool, text: str, hint: str = "") -> Json:
    return {"name": name, "ok": ok, "text": text, "hint": hint}
