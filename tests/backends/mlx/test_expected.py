"""Tests of adapters to load before an engine's first answer, and of those it cannot load."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.errors import RequestError
from lull.service.adapters.reloads import AdapterReloads
from lull.store.adapters.adapter_files import fingerprint
from tests.engine.conftest import Tiny, asking, collect, tiny  # noqa: F401  (fixtures)

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PROMPT = [5, 9, 14]


async def test_an_expected_adapter_answers_the_first_request(tiny: Tiny) -> None:  # noqa: F811
    engine = MlxEngine(tiny.model)
    engine.expect_adapter("one", tiny.adapter("a"))
    assert engine.pid is None, "nothing is started for it"
    try:
        request = asking(PROMPT, adapter="one", temperature=0.0, max_tokens=12)
        assert (await collect(engine, request)).ids == tiny.greedy(PROMPT, 12, "a")
    finally:
        await engine.close()


@pytest.mark.full
@pytest.mark.logs("the adapter one is lost")
async def test_one_that_cannot_be_loaded_is_told_of(
    tiny: Tiny,  # noqa: F811
    tmp_path: Path,
) -> None:
    reloads = AdapterReloads()
    engine = MlxEngine(tiny.model, reloads=reloads)
    engine.expect_adapter("one", str(tmp_path / "nowhere"))
    try:
        answer = await collect(engine, asking(PROMPT, temperature=0.0, max_tokens=3))
        assert answer.ids == tiny.greedy(PROMPT, 3)
        version, error = await reloads.next_lost()
        assert version == "one" and isinstance(error, RequestError)
        assert (await engine.status()).adapters == ()
    finally:
        await engine.close()


@pytest.mark.full
@pytest.mark.logs("the adapter .* is lost")
async def test_one_whose_files_were_changed_is_never_loaded(tiny: Tiny) -> None:  # noqa: F811
    reloads = AdapterReloads()
    engine = MlxEngine(tiny.model, reloads=reloads)
    whole, changed = Path(tiny.adapter("a")), "0" * 64
    engine.expect_adapter(fingerprint(whole), str(whole))
    engine.expect_adapter(changed, str(whole))
    try:
        await collect(engine, asking(PROMPT, temperature=0.0, max_tokens=3))
        assert (await reloads.next_lost())[0] == changed
        assert (await engine.status()).adapters == (fingerprint(whole),)
    finally:
        await engine.close()
