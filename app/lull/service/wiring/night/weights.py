"""Builds the parts that choose the model to train, and publish versions of it with a LoRA adapter
merged in to Ollama.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import psutil

from lull.backends.mlx.weight_folders import ModelFolders
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.ollama.blobs import OllamaBlobs
from lull.backends.ollama.models import OllamaModels
from lull.backends.shipped.english_model import EnglishModel
from lull.backends.system.clock import SystemClock
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.models.learnable import Machine
from lull.core.models.weight_form import form_for
from lull.core.ports import Clock
from lull.loops.adapters.publish import Publish
from lull.loops.models.auto_learner import AutoLearner
from lull.loops.models.choose_model import ChooseModel
from lull.service.adapters.host import EngineHost
from lull.service.adapters.publishing_host import PublishingHost
from lull.service.builtin.model import EngineModels
from lull.service.models.learning_model import LearningModel
from lull.service.process.problems import Problems
from lull.service.proxy.published_names import PublishedNames
from lull.service.wiring.base.own_models import SHIPPED, built_in_choices, english_of
from lull.service.wiring.base.shared import ModelsHere
from lull.service.wiring.base.stores import Stores
from lull.service.wiring.learning.trainable import ModelsOfFolders
from lull.store.adapters.merged_files import MergedFiles
from lull.store.adapters.published import PublishedVersions
from lull.store.sqlite.database import Database
from lull.store.sqlite.named_texts import NamedTexts


def choose_of(
    settings: Settings,
    paths: Paths,
    session: aiohttp.ClientSession,
    clock: Clock,
    english: EnglishModel,
) -> ChooseModel:
    """Build `ChooseModel`, which lists models that can be trained and prepares their weights."""
    return ChooseModel(
        store=ollama_models(settings, session),
        work=WeightsProcess(),
        folders=ModelFolders(paths.models),
        files=OllamaBlobs(os.environ),
        machine=this_machine(settings),
        built_in=built_in_choices(english),
        clock=clock,
    )


@asynccontextmanager
async def choosing_here(settings: Settings, paths: Paths) -> AsyncIterator[ChooseModel]:
    """Context manager that yields a `ChooseModel`, which prepares a model for training, for
    commands without a running service.

    It has an HTTP connection of its own.
    """
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield choose_of(settings, paths, session, SystemClock(), english_of(paths))


def auto_learner_of(stores: Stores, clock: Clock, models: ChooseModel) -> AutoLearner:
    """Build the part that picks the model to train when the setting `training.model` is "auto"."""
    return AutoLearner(
        NamedTexts(stores.database),
        uses=stores.trajectories,
        models=models,
        clock=clock,
        built_in=SHIPPED,
    )


def publish_of(
    settings: Settings,
    paths: Paths,
    session: aiohttp.ClientSession,
    versions: PublishedVersions,
    names: PublishedNames,
    clock: Clock,
) -> Publish:
    """Build the part that merges LoRA adapters into their model and publishes the results to
    Ollama.
    """
    return Publish(
        store=ollama_models(settings, session),
        work=WeightsProcess(),
        versions=versions,
        weights=OllamaBlobs(os.environ),
        files=MergedFiles(paths.models / "publishing"),
        clock=clock,
        names=names,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModelParts:
    """The parts that choose and load the model that is trained, and publish versions of it with a
    LoRA adapter merged in to Ollama.
    """

    choose: ChooseModel
    publish: Publish
    names: PublishedNames
    learner: LearningModel

    def host(self, local: EngineModels) -> PublishingHost:
        """Build the object that puts a LoRA adapter into use: loads it into Lull's own engine, or
        publishes the model with the adapter merged in to Ollama.
        """

        return PublishingHost(
            EngineHost(local),
            publish=self.publish,
            names=self.names,
            base_of=self.learner.published_base,
        )


def weights_of(
    choose: ChooseModel,
    settings: Settings,
    paths: Paths,
    session: aiohttp.ClientSession,
    database: Database,
    problems: Problems,
    models: ModelsHere,
    clock: Clock,
) -> TrainedModelParts:
    """Build the parts that choose the model to train, publish versions of it with a LoRA adapter
    merged in to Ollama, and run it in Lull's own engine.
    """
    versions, names = PublishedVersions(database), PublishedNames(problems)
    names.set_versions(versions.all())
    return TrainedModelParts(
        choose=choose,
        publish=publish_of(settings, paths, session, versions, names, clock),
        names=names,
        learner=LearningModel(
            ModelsOfFolders(paths, models.built_in.reloads), models.local, built_in=SHIPPED
        ),
    )


def ollama_models(settings: Settings, session: aiohttp.ClientSession) -> OllamaModels:
    """Make the part that reads and creates models in the user's Ollama."""
    return OllamaModels(
        session, settings.upstream.resolved(os.environ, own_port=settings.service.port)
    )


def this_machine(settings: Settings) -> Machine:
    """Read this machine's memory and weight format, which decide what models can be trained
    here.
    """
    return Machine(
        memory_bytes=psutil.virtual_memory().total,
        share=settings.training.memory_share,
        form=form_for(sys.platform, platform.machine()),
    )
