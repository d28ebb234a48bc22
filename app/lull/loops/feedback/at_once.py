"""Runs several model requests concurrently, because an engine decodes several answers nearly as
fast as one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import TypeVar

T = TypeVar("T")


async def at_once(work: Iterable[Coroutine[object, object, T]]) -> list[T]:
    """Run all these awaitables concurrently and return their results in order.

    If one fails or the caller is cancelled, stop the others.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
