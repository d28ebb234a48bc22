"""Tests that models loaded for work in a lull are unloaded when the user is back, and no others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
from aiohttp import web

from lull.backends.ollama.facts import OllamaFacts
from lull.loops.proof.proof_work import PairTimes, ProofWork
from lull.service.idle.quiet import Activity
from lull.service.models.borrowed_models import BorrowedModels
from tests.doubles.fakes import FakeClock

Scene = Callable[["Ollama", BorrowedModels, Activity, FakeClock], Awaitable[None]]


class Ollama:
    """A fake Ollama on a real socket: `/api/ps` lists models, `/api/generate` unloads one."""

    def __init__(self) -> None:
        self.loaded = ["chat:latest"]

    async def ps(self, _: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": name} for name in self.loaded]})

    async def generate(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert body["keep_alive"] == 0 and "prompt" not in body
        self.loaded.remove(body["model"])
        return web.json_response({"model": body["model"], "done": True, "done_reason": "unload"})


def play(scene: Scene) -> Ollama:
    async def run() -> Ollama:
        made, clock = Ollama(), FakeClock()
        app = web.Application()
        app.router.add_get("/api/ps", made.ps)
        app.router.add_post("/api/generate", made.generate)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        activity = Activity(clock)
        try:
            async with aiohttp.ClientSession() as session:
                facts = OllamaFacts(session, f"http://127.0.0.1:{port}", on_change=lambda _: None)
                borrowed = BorrowedModels(
                    ollama=facts,
                    asked=lambda: {"judge", "chat"},
                    activity=activity,
                    clock=clock,
                )
                await scene(made, borrowed, activity, clock)
        finally:
            await runner.cleanup()
        return made

    return asyncio.run(run())


def test_what_the_work_loaded_is_unloaded_and_nothing_else() -> None:
    async def scene(
        ollama: Ollama, borrowed: BorrowedModels, _activity: Activity, clock: FakeClock
    ) -> None:
        await borrowed.note_loaded()
        ollama.loaded += ["judge:latest", "of-another-program:latest"]
        clock.advance(60)
        await borrowed.note_loaded()  # the next unit of the same lull
        await borrowed.unload_own()

    assert play(scene).loaded == ["chat:latest", "of-another-program:latest"]


def test_after_a_chat_every_model_stays() -> None:
    async def scene(
        ollama: Ollama, borrowed: BorrowedModels, activity: Activity, clock: FakeClock
    ) -> None:
        await borrowed.note_loaded()
        ollama.loaded.append("judge:latest")
        clock.advance(60)
        with activity.chat():
            await borrowed.unload_own()
        await borrowed.note_loaded()
        clock.advance(5)
        with activity.chat():
            clock.advance(5)
        clock.advance(5)
        await borrowed.unload_own()

    assert play(scene).loaded == ["chat:latest", "judge:latest"]


def test_without_an_ollama_nothing_is_taken_for_ours() -> None:
    async def scene(
        ollama: Ollama, borrowed: BorrowedModels, _activity: Activity, _clock: FakeClock
    ) -> None:
        await borrowed.unload_own()  # nothing was borrowed
        ollama.loaded.append("judge:latest")

    assert play(scene).loaded == ["chat:latest", "judge:latest"]


def test_a_proof_frees_its_models_once_its_replay_has_ended() -> None:
    said: list[str] = []

    async def run() -> None:
        async def prove(_: str) -> int:
            try:
                await asyncio.Event().wait()
            finally:
                said.append("replay ended")
            return 1

        class Lent:
            async def note_loaded(self) -> None:
                said.append("borrow")

            async def unload_own(self) -> None:
                said.append("free")

        work = ProofWork(
            "prop_1",
            name="lists",
            pairs=0,
            most_pairs=10,
            prove=prove,
            times=PairTimes(),
            clock=FakeClock(),
            models=Lent(),
        )
        unit = asyncio.ensure_future(work.run_slice(30.0))
        for _ in range(3):
            await asyncio.sleep(0)
        await work.give_back_memory()
        await unit

    asyncio.run(run())
    assert said == ["borrow", "replay ended", "free"]
