"""The models of our own engine: the built-in one, published under its name."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lull.backends.mlx_engine import EngineOptions, MemoryLimits, MlxEngine
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.messages import Sampling
from lull.resources import INSTALL_AGAIN, pocket_dir
from lull.service.local_facts import LocalModel, read_local_model
from lull.service.local_model import LocalModels
from lull.service.local_routes import Served

BUILT_IN = "pocket"
BUILT_IN_PROBLEM = "built-in model"
"""Under this key stands what is wrong with it."""


def built_in_engine(settings: Settings, paths: Paths) -> MlxEngine:
    """Starts nothing before it is asked."""
    return MlxEngine(_pocket_folder(paths), options=engine_options(settings))


def _pocket_folder(paths: Paths) -> Path:
    """Where the built-in model lies; a place without one where it is missing, which is said when
    it is published."""
    try:
        return pocket_dir()
    except ResourceError:
        return paths.models / BUILT_IN


async def publish_built_in(local: LocalModels, engine: MlxEngine) -> None:
    """Raises ResourceError where its files are missing or damaged."""
    model = await asyncio.to_thread(read_built_in)
    local.publish(Served(model=model, engine=engine, reads_suffixes=False))


def read_built_in() -> LocalModel:
    """What is known of the built-in model. Blocks. Raises ResourceError."""
    folder = pocket_dir()
    try:
        # The tiny language has one right answer: it is served greedily unless a client asks else.
        model = read_local_model(BUILT_IN, folder, sampling=Sampling(temperature=0.0))
    except ResourceError as error:
        raise ResourceError(error.detail, hint=INSTALL_AGAIN) from error
    if not model.template:
        raise ResourceError(f"There is no chat_template.jinja in {folder}.", hint=INSTALL_AGAIN)
    return model


def engine_options(settings: Settings) -> EngineOptions:
    limit = settings.engine.memory_limit_mb or None
    return EngineOptions(at_once=settings.engine.max_batch, limits=MemoryLimits(memory_mb=limit))
