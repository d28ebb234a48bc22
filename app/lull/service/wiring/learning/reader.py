"""Builds the small reader, Lull's own small model that finds feedback on answers in users'
messages.
"""

from __future__ import annotations

from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.reader.small_reader import SmallReader
from lull.backends.shipped.small_model import SmallModel
from lull.config.paths import Paths
from lull.config.settings import Settings


def small_reader_of(settings: Settings, paths: Paths) -> SmallReader:
    """Build the small reader, Lull's own small model that finds feedback on answers in users'
    messages.

    It loads nothing before first use. `close` it in its event loop.
    """
    return SmallReader(
        SmallModel(paths.models, WeightsProcess()), unload_after_s=settings.reader.unload_after_s
    )
