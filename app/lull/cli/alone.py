"""Applies a change to Lull's data through the running service, or directly while holding the
service's lock file.

Two such commands at once wait for each other: most hold the lock for a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lull.cli.context import Context
from lull.cli.control import TIMEOUT_S, Control, found
from lull.core.errors import AlreadyRunning
from lull.service.process.lock import ServiceLock

Json = dict[str, Any]


def changed(
    context: Context,
    route: str,
    wanted: Mapping[str, object],
    prepare: Callable[[], Callable[[], Json]],
    *,
    patience_s: float | None = TIMEOUT_S,
) -> Json:
    """Make a change to Lull's data through the running service, or in this process if no service
    runs; return the result.

    `wanted` is the request's body and `route` its path. Without a service, `prepare` is called
    before the lock is taken and returns the function that makes the change under the lock.
    `patience_s` is the timeout for the service's answer; None waits without limit. Raises Busy when
    another process keeps the lock for long, and whatever the change raises.
    """
    paths = context.paths
    if found(paths) is not None:
        return Control(paths).post(route, wanted, patience_s=patience_s)
    here = prepare()
    paths.prepare()
    lock = ServiceLock(paths.lock)
    try:
        lock.take(discovery=paths.discovery)
    except AlreadyRunning:  # it has just started
        return Control(paths).post(route, wanted, patience_s=patience_s)
    try:
        # A killed service left this file; with our lock it would look as if that service ran.
        paths.discovery.unlink(missing_ok=True)
        return here()
    finally:
        lock.release()
