"""Finds the weights of the models that can be trained, and builds engines for them."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from lull.backends.mlx.engine import MlxEngine
from lull.backends.mlx.local_facts import read_local_model
from lull.backends.mlx.weight_folders import ModelFolders
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.adapters.ports import ReloadedAdapters
from lull.core.adapters.published import answers_from_ollama
from lull.core.models.local_model import LocalModel
from lull.core.models.mlx_weights import MlxWeights
from lull.core.models.weight_form import form_for, has_metal
from lull.service.wiring.base.own_models import engine_options


@dataclass(frozen=True, slots=True)
class ModelsOfFolders:
    """The models whose MLX weights lie in Lull's folder of models; implements TrainableModels."""

    paths: Paths
    reloads: ReloadedAdapters
    """Checks the LoRA adapters that an engine loads again after a restart."""

    def prepared_weights(self, name: str) -> MlxWeights | None:
        form = form_for(sys.platform, platform.machine())
        return ModelFolders(self.paths.models).found(name, form)

    def read(self, name: str, made: MlxWeights) -> LocalModel:
        return read_local_model(name, made.folder, sampling=made.sampling)

    def engine(self, made: MlxWeights, settings: Settings) -> MlxEngine:
        options = engine_options(settings)
        return MlxEngine(made.folder, options=options, reloads=self.reloads)

    def published(self, settings: Settings) -> bool:
        metal = has_metal(sys.platform, platform.machine())
        return answers_from_ollama(settings.training.serve, metal=metal)
