"""Builds the two models that ship with Lull and the engines that serve them: `lull-mini`, which
chats in English, and `pocket`, which knows only an invented toy language for fast tests and is
listed on request.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lull.backends.mlx.engine import EngineOptions, MemoryLimits, MlxEngine
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped import english_model, toy_model
from lull.backends.shipped.english_model import EnglishModel
from lull.backends.shipped.toy_model import read_toy
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.models.learnable import size_of
from lull.core.models.local_model import LocalModel
from lull.loops.models.choose_model import BuiltInModel
from lull.resources import chat_adapter_dir, pocket_dir
from lull.service.adapters.reloads import AdapterReloads
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import ServedModel
from lull.service.models.built_in import BuiltInReadiness

BUILT_IN: Final = english_model.NAME
"""Name of the built-in model that chats in English."""
TOY: Final = toy_model.NAME
"""Name of the built-in model that knows only a toy language."""
SHIPPED: Final = (BUILT_IN, TOY)
"""Names of the models that ship with Lull, the default first."""
BUILT_IN_PROBLEM: Final = "built-in model"
"""Key under which a missing or damaged built-in model is reported as a problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltInModels:
    """The two models that ship with Lull, each with an engine of its own. Neither engine starts a
    process before its first request.
    """

    english: EnglishModel
    engine: MlxEngine
    """Serves the model that chats in English; makes its weights at the first request."""
    toy: MlxEngine
    readiness: BuiltInReadiness
    reloads: AdapterReloads
    """Checks the LoRA adapters that any engine of Lull loads again after a restart."""

    @property
    def engines(self) -> tuple[MlxEngine, MlxEngine]:
        """The engines of the built-in model and of the toy model."""
        return self.engine, self.toy

    async def close(self) -> None:
        """Stop both engines, and the making of the English model's weights."""
        await self.readiness.close()
        for one in self.engines:
            await one.close()


def built_in_models(settings: Settings, paths: Paths) -> BuiltInModels:
    """Build the models that ship with Lull and their engines. It starts no process."""
    english, options, reloads = english_of(paths), engine_options(settings), AdapterReloads()
    return BuiltInModels(
        english=english,
        engine=MlxEngine(
            _place_of(english, paths), options=options, prepare=english.folder, reloads=reloads
        ),
        toy=MlxEngine(_toy_folder(paths), options=options, reloads=reloads),
        readiness=BuiltInReadiness(english, name=BUILT_IN),
        reloads=reloads,
    )


def english_of(paths: Paths) -> EnglishModel:
    """Build the object for `lull-mini`, the model that ships with Lull and chats in English; starts
    no engine.
    """
    return EnglishModel(paths.models, WeightsProcess(), shipped=chat_adapter_dir)


def _place_of(english: EnglishModel, paths: Paths) -> Path:
    """Return where the English model's weights lie; a nonexistent path if a file that they are made
    of is missing, which publishing then reports.
    """
    try:
        return english.model.folder
    except ResourceError:
        return paths.models / BUILT_IN


def _toy_folder(paths: Paths) -> Path:
    try:
        return pocket_dir()
    except ResourceError:
        return paths.models / TOY


async def publish_built_in(local: EngineModels, models: BuiltInModels, *, list_toy: bool) -> None:
    """Serve the models that ship with Lull to clients; if `list_toy`, listings of models include
    the toy model, which knows only an invented language for tests.

    Raises ResourceError when files of one model are missing or damaged; the other is served all the
    same.
    """
    try:
        english = await asyncio.to_thread(lambda: models.english.model)
        local.publish(ServedModel(model=english, engine=models.engine))
    finally:
        toy = await asyncio.to_thread(read_toy)
        local.publish(
            ServedModel(model=toy, engine=models.toy, reads_suffixes=False, listed=list_toy)
        )


def built_in_choices(english: EnglishModel) -> tuple[BuiltInModel, ...]:
    """Return those models that ship with Lull, as choices of the model to train, the default one
    first. A model whose files are missing is left out. Blocking.
    """
    return tuple(_choices(english))


def _choices(english: EnglishModel) -> Iterator[BuiltInModel]:
    with contextlib.suppress(ResourceError):
        yield _trainable(english.model, prepare=english.folder, is_listed=True)
    with contextlib.suppress(ResourceError):
        yield _trainable(read_toy(), prepare=_nothing, is_listed=False)


async def _nothing() -> None:
    """Prepare nothing: the toy model's weights ship with Lull."""


def _trainable(
    facts: LocalModel, *, prepare: Callable[[], Awaitable[object]], is_listed: bool
) -> BuiltInModel:
    return BuiltInModel(
        name=facts.name,
        folder=str(facts.folder),
        size=size_of(facts),
        architecture=facts.family,
        prepare=prepare,
        is_listed=is_listed,
    )


def engine_options(settings: Settings) -> EngineOptions:
    """Return the options of the inference engine, by the settings."""
    limit = settings.engine.memory_limit_mb or None
    return EngineOptions(at_once=settings.engine.max_batch, limits=MemoryLimits(memory_mb=limit))
