"""Implements the inference `Engine` port with a child process that is kept running.

The child starts at first use. A request waits for the first load but fails at once during a
restart. After a restart the adapters are loaded into the new child.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from lull.backends.mlx.child import EngineChild
from lull.contract.engine_frames import (
    Frame,
    MemoryLimits,
    request_to_wire,
    status_from_wire,
)
from lull.core.adapters.ports import ReloadedAdapters
from lull.core.backoff import Backoff
from lull.core.errors import EngineDown, EngineError, LullError, RequestError
from lull.core.models.engine import Chunk, EngineStatus, GenerateRequest

__all__ = ["EngineOptions", "MemoryLimits", "MlxEngine", "UncheckedReloads", "engine_command"]

_log = logging.getLogger("lull.engine")

_TRY_LOAD_AGAIN_S = 10.0
"""Seconds before a model that could not be loaded is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Limits of the inference engine: tokens of its context window, answers generated in parallel,
    prompt tokens processed at a time.
    """

    window_tokens: int | None = None
    """Context window in tokens, shorter than the model's own to save memory.

    None uses the model's.
    """
    at_once: int = 32
    """Number of answers decoded in parallel; further requests wait."""
    slice_tokens: int = 256
    """Prompt tokens processed between two decoding steps of other answers."""
    prefix_cache_mb: int = 512
    limits: MemoryLimits = field(default_factory=MemoryLimits)


def engine_command() -> tuple[str, ...]:
    """Return the inference engine process's command line.

    In a frozen (packaged) app the app itself takes the place of Python.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "engine")
    return (sys.executable, "-m", "lull.engine.main")


class UncheckedReloads:
    """Checks no adapter and tells nobody of lost ones: for an engine that only a command or a test
    uses; implements `ReloadedAdapters`.
    """

    def damage_of(self, sha256: str, folder: str) -> str:
        return ""

    def on_load_failure(self, sha256: str, error: LullError) -> None: ...


class MlxEngine:
    """Runs the inference engine in a child process; implements the `Engine` port.

    It belongs to one event loop; `close` it there.
    """

    def __init__(
        self,
        model_dir: Path,
        *,
        options: EngineOptions | None = None,
        command: Sequence[str] | None = None,
        prepare: Callable[[], Awaitable[object]] | None = None,
        reloads: ReloadedAdapters | None = None,
        backoff: Backoff | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Configure the engine; `prepare` makes the model's folder before a process is started, and
        raises LullError if it cannot. Adapters that a restarted process loads again are checked by
        `reloads`, which is told of those that could not be loaded.
        """
        self._model_dir = model_dir.resolve()
        self._options = options or EngineOptions()
        self._command = tuple(command or engine_command())
        self._prepare = prepare
        self._backoff = backoff or Backoff()
        self._monotonic_s = monotonic_s
        self._adapters: dict[str, str] = {}
        """Wanted adapters, version → folder; a new child gets them before any request."""
        self._reloads = reloads or UncheckedReloads()
        self._child: EngineChild | None = None
        self._has_adapters = False
        """Whether the child has the wanted adapters; a restarted one gets them before requests."""
        self._keeper: asyncio.Task[None] | None = None
        """The task that restarts the child until it gives up."""
        self._refusal: tuple[float, EngineError] | None = None
        """When and why the model could not be loaded."""
        self._settled = asyncio.Event()
        """Set once the first load has succeeded or failed."""

    async def start(self) -> None:
        """Start the engine process and wait for the model; the count of past crashes is reset.

        Raises EngineError if the model cannot be loaded.
        """
        self._backoff = self._backoff.without_crashes()
        self._refusal = None
        if self._settled.is_set() and not (
            self._child and self._child.is_loaded and self._has_adapters
        ):
            await self.close()  # it may be waiting to restart
        await self._running()

    async def close(self) -> None:
        """Stop the inference engine's process and all answers in progress."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)

    @property
    def pid(self) -> int | None:
        """Process id of the running inference engine; None while it is not running."""
        return self._child.pid if self._child is not None and self._child.alive else None

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[Chunk, None]:
        asked_s = self._monotonic_s()
        child = await self._running()
        load_s = self._monotonic_s() - asked_s
        with child.open("generate", request=request_to_wire(request)) as replies:
            while True:
                reply = await replies.get()
                if isinstance(reply, LullError):
                    raise reply
                assert isinstance(reply, Chunk), "an answer comes in chunks"
                if reply.finish is not None:
                    yield replace(reply, load_s=load_s)
                    return
                yield reply

    async def tokenize(self, request: GenerateRequest) -> tuple[int, ...]:
        result = await self._call("tokenize", request=request_to_wire(request))
        return tuple(result["ids"])

    async def divergence(
        self,
        prompt_ids: Sequence[int],
        ids: Sequence[int],
        *,
        adapter: str | None,
        against: str | None = None,
        against_prompt_ids: Sequence[int] = (),
    ) -> tuple[float, ...]:
        result = await self._call(
            "divergence",
            prompt_ids=list(prompt_ids),
            ids=list(ids),
            adapter=adapter,
            against=against,
            against_prompt_ids=list(against_prompt_ids),
        )
        return tuple(result["nats"])

    async def answer_logprobs(
        self, prompt_ids: Sequence[int], ids: Sequence[int], *, adapter: str | None
    ) -> tuple[float, ...]:
        result = await self._call(
            "answer_logprobs", prompt_ids=list(prompt_ids), ids=list(ids), adapter=adapter
        )
        return tuple(result["logprobs"])

    def expect_adapter(self, version: str, folder: str) -> None:
        """Note a LoRA adapter (its version, and the folder of its files) that the next engine
        process must load when it starts; starts nothing now.
        """
        self._adapters[version] = str(Path(folder).resolve())

    async def load_adapter(self, version: str, folder: str) -> None:
        where = str(Path(folder).resolve())
        await self._call("load_adapter", version=version, folder=where)
        self._adapters[version] = where

    async def drop_adapter(self, version: str) -> None:
        self._adapters.pop(version, None)
        if self._child is not None and self._child.is_loaded:
            await self._child.call("drop_adapter", version=version)

    async def set_limits(self, limits: MemoryLimits) -> None:
        """Change the engine's limits of memory; a later start of the process keeps them."""
        self._options = replace(self._options, limits=limits)
        if self._child is not None and self._child.is_loaded:
            await self._child.call("set_limits", limits=asdict(limits))

    async def status(self) -> EngineStatus:
        """Return the inference engine's status, whether or not it is running; never starts it."""
        if self._child is not None and self._child.is_loaded:
            with contextlib.suppress(EngineDown):
                return status_from_wire(await self._child.call("status"))
        return EngineStatus(
            loaded=False,
            adapters=tuple(self._adapters),
            in_flight=0,
            window_tokens=self._options.window_tokens or 0,
            parameters=0,
            memory_mb=0.0,
            size_bytes=0,
        )

    async def _call(self, op: str, **arguments: object) -> Frame:
        child = await self._running()
        return await child.call(op, **arguments)

    async def _running(self) -> EngineChild:
        """Return a child with its model loaded, waiting for a first load.

        Raises EngineDown during a restart or after giving up, EngineError if the model cannot be
        loaded.
        """
        if self._refusal is not None:
            when_s, error = self._refusal
            if self._monotonic_s() - when_s < _TRY_LOAD_AGAIN_S:
                raise error
        if self._backoff.delay_s is None:
            raise EngineDown(
                f"The built-in engine stopped {len(self._backoff.falls_s)} times in a short time.",
                hint="It stays off until it is started by hand; the log says how it ended.",
            )
        if self._keeper is None or self._keeper.done():
            self._settled.clear()
            self._refusal = None
            self._keeper = asyncio.create_task(self._keep_running())
        if not self._settled.is_set():
            await self._settled.wait()
            if self._refusal is not None:
                raise self._refusal[1]
        if self._child is None or not (self._child.is_loaded and self._has_adapters):
            raise EngineDown(
                "The built-in engine stopped.", hint="It is being restarted; try again in a moment."
            )
        return self._child

    async def _keep_running(self) -> None:
        """Restart the child until it refuses its model or crashes too often."""
        try:
            while await self._live():
                self._backoff = self._backoff.with_crash(self._monotonic_s())
                delay_s = self._backoff.delay_s
                self._settled.set()
                how = self._child.how_it_ended if self._child else "it never ran"
                if delay_s is None:
                    _log.error("the engine stopped (%s) too often; it stays off", how)
                    return
                _log.warning("the engine stopped (%s); starting it in %g s", how, delay_s)
                await asyncio.sleep(delay_s)
        finally:
            child, self._child = self._child, None
            if child is not None:
                await child.stop()
            self._settled.set()

    async def _live(self) -> bool:
        """Run one child until it ends. False if it refused the model, so a restart would not
        help."""
        if self._prepare is not None:
            try:
                await self._prepare()
            except LullError as error:
                self._refuse(EngineError(error.detail, hint=error.hint))
                return False
        self._has_adapters = False
        self._child = child = await EngineChild.start((*self._command, *self._arguments()))
        try:
            await child.wait_until_loaded()
            await self._give_adapters(child)
        except EngineDown:
            await child.wait_until_ended()
            return True
        except EngineError as error:
            self._refuse(error)
            return False
        self._has_adapters = True
        self._settled.set()
        await child.wait_until_ended()
        return True

    def _refuse(self, error: EngineError) -> None:
        self._refusal = (self._monotonic_s(), error)

    async def _give_adapters(self, child: EngineChild) -> None:
        for version, folder in tuple(self._adapters.items()):
            try:
                # Its files were checked when it became active, maybe weeks ago.
                if wrong := await asyncio.to_thread(self._reloads.damage_of, version, folder):
                    raise RequestError(wrong, status=503)
                await child.call("load_adapter", version=version, folder=folder)
            except RequestError as error:
                _log.warning("the adapter %s is lost: %s", version, error)
                del self._adapters[version]
                self._reloads.on_load_failure(version, error)

    def _arguments(self) -> list[str]:
        options, limits = self._options, self._options.limits
        values: dict[str, object | None] = {
            "--model": self._model_dir,
            "--window-tokens": options.window_tokens,
            "--at-once": options.at_once,
            "--slice-tokens": options.slice_tokens,
            "--prefix-cache-mb": options.prefix_cache_mb,
            "--memory-mb": limits.memory_mb,
            "--cache-mb": limits.cache_mb,
            "--wired-mb": limits.wired_mb,
        }
        return [str(p) for pair in values.items() if pair[1] is not None for p in pair]
