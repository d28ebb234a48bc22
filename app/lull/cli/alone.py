"""A change that needs no service: done by the one that runs, else made here, under its lock.

Two such commands at once wait for each other: each holds the lock for a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lull.cli.context import Context
from lull.cli.control import Control, found
from lull.core.errors import AlreadyRunning
from lull.service.lock import ServiceLock

Json = dict[str, Any]


def changed(
    context: Context,
    route: str,
    wanted: Mapping[str, object],
    prepare: Callable[[], Callable[[], Json]],
) -> Json:
    """What `wanted` came to. `prepare` gets ready, without the lock, what makes the change here.

    Raises Busy when somebody else holds the lock for long, and what the change raises.
    """
    paths = context.paths
    if found(paths) is not None:
        return Control(paths).post(route, wanted)
    here = prepare()
    paths.prepare()
    lock = ServiceLock(paths.lock)
    try:
        lock.take(discovery=paths.discovery)
    except AlreadyRunning:  # it has just started
        return Control(paths).post(route, wanted)
    try:
        # Left by a service that was killed: beside our lock it would look as if that one ran.
        paths.discovery.unlink(missing_ok=True)
        return here()
    finally:
        lock.release()
