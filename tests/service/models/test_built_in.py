"""Tests of making the built-in chat model's weights: on request, once, with progress reported."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lull.core.errors import LullError, ResourceError, WeightsError
from lull.service.models.built_in import BuiltInReadiness


class Model:
    def __init__(self) -> None:
        self.progress: float | None = None
        self.looked = 0
        self.made = False
        self.go_on = asyncio.Event()
        self.fault: LullError | None = None
        self.missing: LullError | None = None
        self.begun = 0

    @property
    def is_made(self) -> bool:
        self.looked += 1
        if self.missing is not None:
            raise self.missing
        return self.made

    async def folder(self) -> Path:
        self.begun += 1
        self.progress = 0.25
        try:
            await self.go_on.wait()
        finally:
            self.progress = None
        if self.fault is not None:
            raise self.fault
        self.made = True
        return Path()


async def settled(readiness: BuiltInReadiness) -> dict[str, object]:
    for _ in range(10):
        await asyncio.sleep(0)
    return await readiness.state()


async def test_they_are_made_once_and_their_progress_is_told() -> None:
    model = Model()
    readiness = BuiltInReadiness(model, name="mini")
    assert await readiness.state() == {
        "name": "mini",
        "ready": False,
        "progress": None,
        "problem": "",
    }
    assert (await readiness.prepare())["progress"] == 0.25
    await readiness.prepare()
    assert model.begun == 1
    model.go_on.set()
    assert (await settled(readiness))["ready"] is True
    looked = model.looked
    await readiness.state()
    assert model.looked == looked  # what is made is not looked at again


async def test_what_went_wrong_is_told_until_it_is_tried_again() -> None:
    model = Model()
    model.fault = WeightsError("The disk is full.", hint="Make room.")
    model.go_on.set()
    readiness = BuiltInReadiness(model, name="mini")
    await readiness.prepare()
    assert (await settled(readiness))["problem"] == "The disk is full. Make room."
    model.fault = None
    await readiness.prepare()
    assert (await settled(readiness)) == {
        "name": "mini",
        "ready": True,
        "progress": None,
        "problem": "",
    }


async def test_a_missing_file_is_told_as_the_problem() -> None:
    model = Model()
    model.missing = ResourceError("There is no adapter.", hint="Install Lull again.")
    state = await BuiltInReadiness(model, name="mini").state()
    assert (state["ready"], state["problem"]) == (False, "There is no adapter. Install Lull again.")


async def test_closing_stops_the_making() -> None:
    model = Model()
    readiness = BuiltInReadiness(model, name="mini")
    await readiness.close()
    await readiness.prepare()
    await readiness.close()
    assert model.progress is None and not model.made
