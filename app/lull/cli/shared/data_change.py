"""Changes Lull's data for a command: through the running service, or directly if none runs.

The command makes a direct change while it holds the service's lock file. Two commands that do so at
once wait for each other; most hold the lock for a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lull.cli.shared.context import Context
from lull.cli.shared.control import TIMEOUT_S, Control, find_service
from lull.contract.json_object import Json
from lull.core.errors import AlreadyRunning
from lull.service.process.lock import ServiceLock


def change_data(
    context: Context,
    route: str,
    body: Mapping[str, object],
    prepare: Callable[[], Callable[[], Json]],
    *,
    patience_s: float | None = TIMEOUT_S,
) -> Json:
    """Make a change to Lull's data, through the running service or else in this process; return its
    result as JSON.

    A running service gets a POST request with the path `route` and the given body. Without a
    service, `prepare` is called before the service's lock file is taken; it returns the function
    that makes the change while the lock is held. `patience_s` is the timeout for the service's
    answer; None waits without limit. Raises Busy when another process keeps the lock for long, and
    whatever the change raises.
    """
    paths = context.paths
    if find_service(paths) is not None:
        return Control(paths).post(route, body, patience_s=patience_s)
    here = prepare()
    paths.prepare()
    lock = ServiceLock(paths.lock)
    try:
        lock.take(discovery=paths.discovery)
    except AlreadyRunning:  # it has just started
        return Control(paths).post(route, body, patience_s=patience_s)
    try:
        # A killed service left this file; with our lock it would look as if that service ran.
        paths.discovery.unlink(missing_ok=True)
        return here()
    finally:
        lock.release()
