"""What is kept of adapters that do not answer now: which stay loaded, and whose files stay on disk.

A request may be stamped with a version and reach the engine after the pointer has moved, and the
way back must find what it goes back to.
"""

from __future__ import annotations

from collections.abc import Collection

from lull.core.adapter import KEPT, AdapterStatus, InForce, to_keep
from lull.store.adapters import Adapters


def versions_needed(adapters: Adapters, model: str, others: Collection[str] = ()) -> list[str]:
    """Of this model: those in force, those of the last moves and `others`, by sha256. Blocks."""
    force = adapters.in_force(model)
    needed = {force.active, force.shadow, force.held, *others}
    needed |= {move.active for move in adapters.moves(model)[1:3]}
    needed |= {move.shadow for move in adapters.moves(model)[1:2]}
    return [one.sha256 for one in adapters.all(model) if one.id in needed]


def files_not_needed(adapters: Adapters, force: InForce) -> list[str]:
    """All but the last few that were in force, what waits, and the newest that were rejected.
    Blocks."""
    everything = adapters.all(force.model)
    order = adapters.past(force.model)
    known = {past.id for past in order}
    kept = to_keep([*order, *(one for one in everything if one.id not in known)], force)
    rejected = [one.id for one in everything if one.status is AdapterStatus.REJECTED]
    kept.update(rejected[:KEPT])
    return [one.id for one in everything if one.id not in kept]
