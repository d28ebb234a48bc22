"""Builds the engine of the built-in model, and serves and checks the files behind it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lull.backends.mlx.engine import EngineOptions, MemoryLimits, MlxEngine
from lull.backends.mlx.local_facts import read_local_model
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.chat.messages import Sampling
from lull.core.errors import ResourceError
from lull.core.models.local_model import LocalModel
from lull.resources import INSTALL_AGAIN, pocket_dir
from lull.service.builtin.model import LocalModels
from lull.service.builtin.routes import ServedModel
from lull.store.adapters.adapter_files import damage_in

BUILT_IN = "pocket"
"""Name of the built-in model."""
BUILT_IN_PROBLEM = "built-in model"
"""Key under which a missing or damaged built-in model is reported as a problem."""


def built_in_engine(settings: Settings, paths: Paths) -> MlxEngine:
    """Build the built-in model's engine. It starts no process before its first request."""
    return MlxEngine(_pocket_folder(paths), options=engine_options(settings))


def _pocket_folder(paths: Paths) -> Path:
    """Return the built-in model's folder; a nonexistent path if it is missing, which publishing
    then reports.
    """
    try:
        return pocket_dir()
    except ResourceError:
        return paths.models / BUILT_IN


async def publish_built_in(local: LocalModels, engine: MlxEngine) -> None:
    """Serve the built-in model to clients. Raises ResourceError when its files are missing or
    damaged.
    """
    model = await asyncio.to_thread(read_built_in)
    local.publish(ServedModel(model=model, engine=engine, reads_suffixes=False))


def read_built_in() -> LocalModel:
    """Read the built-in model's facts from its files. Blocking. Raises ResourceError."""
    folder = pocket_dir()
    try:
        # Its toy language has one right answer, so it is decoded greedily by default.
        model = read_local_model(BUILT_IN, folder, sampling=Sampling(temperature=0.0))
    except ResourceError as error:
        raise ResourceError(error.detail, hint=INSTALL_AGAIN) from error
    if not model.template:
        raise ResourceError(f"There is no chat_template.jinja in {folder}.", hint=INSTALL_AGAIN)
    return model


def engine_options(settings: Settings) -> EngineOptions:
    limit = settings.engine.memory_limit_mb or None
    return EngineOptions(at_once=settings.engine.max_batch, limits=MemoryLimits(memory_mb=limit))


def damage_of(version: str, folder: str) -> str:
    """Check a LoRA adapter's files before they are reloaded. Return what is wrong, "" if nothing.

    Blocking.
    """
    return damage_in(Path(folder), version)
