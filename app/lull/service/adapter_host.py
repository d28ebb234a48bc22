"""Adapters on the engines that serve models of our own: loaded beside, warmed, routed to.

Implements loops.promote.AdapterHost. A route is one value in the table of served models; a request
that is under way has its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from lull.core.adapter import AdapterVersion, Arm, Shadow
from lull.core.errors import EngineDown
from lull.core.messages import Sampling
from lull.core.ports import Chunk, GenerateRequest
from lull.loops.gate_answers import Contest
from lull.service.local_model import LocalModels, served_sampling
from lull.service.local_routes import Served

_WARM: Final = GenerateRequest(prompt=".", sampling=Sampling(temperature=0.0, max_tokens=1))


class EngineHost:
    def __init__(self, local: LocalModels) -> None:
        self._local = local
        self._loaded: dict[str, set[str]] = {}
        """By model: versions that were loaded here, and may be let go of here."""

    def digest(self, model: str) -> str | None:
        return self._served(model).model.digest if self._local.serves(model) else None

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        engine = self._served(version.base_model).engine
        await engine.load_adapter(version.sha256, str(folder))
        self._noted(version)
        warm = replace(_WARM, adapter=version.sha256)
        stream = cast("AsyncGenerator[Chunk, None]", engine.generate(warm))
        async with aclosing(stream) as chunks:
            async for _ in chunks:
                pass

    def expect(self, version: AdapterVersion, folder: Path) -> None:
        if self._local.serves(version.base_model):
            self._served(version.base_model).engine.expect_adapter(version.sha256, str(folder))
            self._noted(version)

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        if self._local.serves(model):
            served = self._served(model)
            routed = replace(served, adapter=active.version, learned=active.learned, shadow=shadow)
            self._local.publish(routed)

    async def keep_only(self, model: str, versions: Sequence[str]) -> None:
        if not self._local.serves(model):
            return
        engine = self._served(model).engine
        for version in self._loaded.get(model, set()) - set(versions):
            await engine.drop_adapter(version)
            self._loaded[model].discard(version)

    async def contest(self, version: AdapterVersion, folder: Path) -> Contest:
        """Both sides, ready to be asked. Raises EngineError, RequestError."""
        await self.load(version, folder)
        served = self._served(version.base_model)
        return Contest(
            engine=served.engine,
            old=served.adapter,
            new=version.sha256,
            sampling=served_sampling(served.model),
        )

    def _noted(self, version: AdapterVersion) -> None:
        self._loaded.setdefault(version.base_model, set()).add(version.sha256)

    def _served(self, model: str) -> Served:
        if not self._local.serves(model):
            raise EngineDown(
                f"{model} is not served by Lull's own engine now.",
                hint="An adapter needs the model that it was trained on.",
            )
        return self._local.served(model)
