"""Runs work on weight files (converting, merging) in child processes, one per task.

Implements the `WeightWork` port. A child that dies without an error message becomes one
WeightsError. Cancelling kills it; finished parts are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import lull
from lull.backends.mlx.weights_child import KINDS
from lull.backends.system.child_input import end_input
from lull.backends.system.hung import wait_until_hung
from lull.contract.json_object import Json
from lull.core.errors import WeightsError
from lull.core.models.weight_form import WeightForm
from lull.core.models.weight_work import MergedFile, Report, WeightsFound


def _command() -> tuple[str, ...]:
    """Return the weights process's command line; a frozen app is its own interpreter."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "work-on-weights")
    return (sys.executable, "-m", "lull.backends.mlx.weights_child")


class WeightsProcess:
    """Runs tasks on weight files (converting, merging) in child processes; implements the
    `WeightWork` port.
    """

    async def inspect(self, blob: str, form: WeightForm) -> WeightsFound:
        said = await _run({"do": "look", "blob": blob, "form": form.value}, _unheard)
        return WeightsFound(architecture=said["architecture"], n_bytes=said["n_bytes"])

    async def make_folder(
        self, blob: str, folder: str, form: WeightForm, facts: Mapping[str, object], report: Report
    ) -> None:
        wanted = {"do": "make-folder", "blob": blob, "folder": folder, "form": form.value}
        await _run({**wanted, "facts": dict(facts)}, report)

    async def merge(self, blob: str, adapter: str, out: str, report: Report) -> MergedFile:
        said = await _run({"do": "merge", "blob": blob, "adapter": adapter, "out": out}, report)
        return MergedFile(**said)


def _unheard(_done: int, _of: int) -> None:
    pass


async def _run(wanted: Json, report: Report) -> Json:
    child = await asyncio.create_subprocess_exec(
        *_command(),
        stdin=asyncio.subprocess.PIPE,  # held open: closing it tells the child to exit
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        cwd=Path(lull.__file__).parent.parent,
    )
    # Drain stderr, so that library output cannot fill the pipe.
    assert child.stderr is not None
    saying = asyncio.ensure_future(child.stderr.read())
    watching = asyncio.create_task(_end_if_stopped(child))
    try:
        return await _hear(child, wanted, report)
    finally:
        watching.cancel()
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
        await saying
        await end_input(child)


async def _end_if_stopped(child: asyncio.subprocess.Process) -> None:
    """Kill a child that somebody stopped, which would hold its task up for ever."""
    await wait_until_hung(child.pid)
    with contextlib.suppress(ProcessLookupError):
        child.kill()


async def _hear(child: asyncio.subprocess.Process, wanted: Json, report: Report) -> Json:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(wanted).encode() + b"\n")
    with contextlib.suppress(ConnectionError):
        await child.stdin.drain()
    while line := await child.stdout.readline():
        said = json.loads(line)
        if "result" in said:
            found: Json = said["result"]
            return found
        if "error" in said:
            error = said["error"]
            raise KINDS[error["kind"]](error["detail"], hint=error["hint"])
        report(said["done"], said["of"])
    raise WeightsError(
        "Preparing the model was interrupted.", hint="Was there too little memory? Try again."
    )
