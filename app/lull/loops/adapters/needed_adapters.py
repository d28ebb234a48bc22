"""Decides which adapters that are not active stay loaded in the engine, and whose files stay on
disk.

A request that was assigned to an adapter version may reach the engine after another adapter became
active, and a rollback needs the earlier adapter.
"""

from __future__ import annotations

from collections.abc import Collection

from lull.core.adapters.adapter import PAST_ADAPTERS_KEPT, AdaptersInForce, AdapterStatus, to_keep
from lull.store.adapters.adapters import Adapters


def versions_needed(adapters: Adapters, model: str, others: Collection[str] = ()) -> list[str]:
    """Return the sha256 of those adapters of a model that must stay loaded in the engine, because
    they answer requests or a rollback may need them. Blocking.

    They are the adapters that answer requests (the active one, and one on trial or kept for
    comparison with a share of new conversations), those that were active or on trial before the
    latest changes, since a rollback may need them, and those whose ids are in `others`.
    """
    force = adapters.in_force(model)
    needed = {force.active, force.shadow, force.held, *others}
    needed |= {move.active for move in adapters.moves(model)[1:3]}
    needed |= {move.shadow for move in adapters.moves(model)[1:2]}
    return [one.sha256 for one in adapters.all(model) if one.id in needed]


def files_not_needed(adapters: Adapters, force: AdaptersInForce) -> list[str]:
    """Return the ids of adapters whose files may be deleted to free disk space. Blocking.

    `force` says which adapters answer requests now. Also kept are the last few adapters that were
    active, those that wait to be tested, and the newest rejected ones.
    """
    everything = adapters.all(force.model)
    order = adapters.past(force.model)
    known = {past.id for past in order}
    kept = to_keep([*order, *(one for one in everything if one.id not in known)], force)
    rejected = [one.id for one in everything if one.status is AdapterStatus.REJECTED]
    kept.update(rejected[:PAST_ADAPTERS_KEPT])
    return [one.id for one in everything if one.id not in kept]
