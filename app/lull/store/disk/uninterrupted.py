"""Runs async work to its end even if the task that waits for it is cancelled.

A waiting task is cancelled when a client goes away, an idle time ends or the service stops. The
database finishes a write that has begun all the same, so the steps that belong to the write must be
finished, too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from lull.core.errors import LullError

log = logging.getLogger(__name__)
T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end and return its result, or raise its error, even if the caller is
    cancelled.

    A caller that is cancelled meanwhile still waits for the end, so that locks it holds stay held;
    only then is the cancellation raised.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue  # cancelled again; it is raised below
        _say_what_went_wrong(task)
        raise


def _say_what_went_wrong(task: asyncio.Task[Any]) -> None:
    """Log the error of work whose caller was cancelled, since nobody else hears of it."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, LullError):
        log.info("nobody waits for it any more, and it was not done: %s", error)
    elif error is not None:
        log.error("work that nobody waits for any more failed", exc_info=error)
