"""Put together here: the small reader, from settings and paths."""

from __future__ import annotations

from lull.backends.small_model import SmallModel
from lull.backends.small_reader import SmallReader
from lull.backends.weights_process import WeightsProcess
from lull.config.paths import Paths
from lull.config.settings import Settings


def small_reader_of(settings: Settings, paths: Paths) -> SmallReader:
    """Makes and starts nothing before something is to be read. `close` it in its event loop."""
    return SmallReader(
        SmallModel(paths.models, WeightsProcess()), unload_after_s=settings.reader.unload_after_s
    )
