"""The only place that names concrete classes: from settings and paths to a service that can run."""

from lull.service.wiring.own_models import (
    BUILT_IN,
    BUILT_IN_PROBLEM,
    built_in_engine,
    read_built_in,
)
from lull.service.wiring.service import Service
from lull.service.wiring.start import wired
from lull.service.wiring.stores import Stores, open_stores, reading_of
from lull.service.wiring.together import open_secrets
from lull.service.wiring.upstream import look_at_ollama

__all__ = [
    "BUILT_IN",
    "BUILT_IN_PROBLEM",
    "Service",
    "Stores",
    "built_in_engine",
    "look_at_ollama",
    "open_secrets",
    "open_stores",
    "read_built_in",
    "reading_of",
    "wired",
]
