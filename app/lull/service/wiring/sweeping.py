"""Builds the job that moves old conversations to the trash."""

from __future__ import annotations

from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.chat.retention import Limits
from lull.loops.sweep import Sweep
from lull.service.chat.throwing_away import ThrowingAway
from lull.service.wiring.learning.asking import Services
from lull.store.retention import Retention
from lull.store.trash import Trash


def throwing_away_of(world: Services, settings: Settings, paths: Paths) -> ThrowingAway:
    """Build the job that moves old conversations to the trash."""
    records, database = settings.records, world.stores.database
    sweep = Sweep(
        Retention(database),
        Trash(paths.trash, database),
        world.clock,
        limits=lambda: Limits(days=records.keep_days, most_bytes=records.keep_mb * 1_000_000),
        trash_bytes=lambda: records.trash_mb * 1_000_000,
    )
    return ThrowingAway(sweep, world.problems, settle=database.flush)
