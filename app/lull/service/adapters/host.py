"""Loads LoRA adapters into Lull's own inference engines and decides which adapter answers a
request.

A route says which adapter answers for a model. A request in progress keeps the route that was set
when it began.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, cast

from lull.core.adapters.adapter import AdapterVersion, Arm, Shadow
from lull.core.chat.messages import Sampling
from lull.core.errors import EngineDown
from lull.core.models.engine import Chunk, Engine, GenerateRequest
from lull.core.models.weight_work import NextToken
from lull.loops.adapters.gate_answers import ComparedAdapters
from lull.loops.adapters.next_token import next_token
from lull.service.builtin.model import EngineModels, served_sampling
from lull.service.builtin.routes import ServedModel

_WARM_UP: Final = GenerateRequest(prompt=".", sampling=Sampling(temperature=0.0, max_tokens=1))
"""One-token request that warms up a loaded adapter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    engine: Engine
    versions: set[str] = field(default_factory=set)


class EngineHost:
    """Loads LoRA adapters into Lull's own inference engines and has them answer requests;
    implements AdapterHost.
    """

    def __init__(self, local: EngineModels) -> None:
        self._local = local
        self._loaded: dict[str, _Loaded] = {}
        """Versions loaded by this host, by model; only these are unloaded."""

    def digest(self, model: str) -> str | None:
        return self._served(model).model.digest if self._local.serves(model) else None

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        engine = self._served(version.base_model).engine
        await engine.load_adapter(version.sha256, str(folder))
        self._noted(version)
        warm = replace(_WARM_UP, adapter=version.sha256)
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
        engine, loaded = self._served(model).engine, self._loaded_of(model)
        for version in loaded - set(versions):
            await engine.drop_adapter(version)
            loaded.discard(version)

    async def load_for_comparison(self, version: AdapterVersion, folder: Path) -> ComparedAdapters:
        """Load a LoRA adapter beside the one in use, so that the answers of both can be compared.

        Returns the model's engine, the versions of both adapters and the sampling options. Raises
        EngineError, RequestError.
        """
        await self.load(version, folder)
        served = self._served(version.base_model)
        return ComparedAdapters(
            engine=served.engine,
            old=served.adapter,
            new=version.sha256,
            sampling=served_sampling(served.model),
        )

    async def next_token(self, model: str, prompt: str, adapter: str | None) -> NextToken:
        """Return the token that a model's engine generates next after a raw prompt, with a loaded
        LoRA adapter or, if `adapter` is None, without one.

        Raises EngineError.
        """
        return await next_token(self._served(model).engine, prompt, adapter)

    def _noted(self, version: AdapterVersion) -> None:
        self._loaded_of(version.base_model).add(version.sha256)

    def _loaded_of(self, model: str) -> set[str]:
        """The versions loaded on the model's current engine; a new engine has none."""
        engine, known = self._served(model).engine, self._loaded.get(model)
        if known is None or known.engine is not engine:
            known = self._loaded[model] = _Loaded(engine=engine)
        return known.versions

    def _served(self, model: str) -> ServedModel:
        if not self._local.serves(model):
            raise EngineDown(
                f"{model} is not running in Lull's own engine now.",
                hint="An adapter needs the model that it was trained on.",
            )
        return self._local.served(model)
