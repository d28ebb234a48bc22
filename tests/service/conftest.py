"""Fixtures of running Lulls in front of a scripted upstream.

Starting a Lull takes seconds, so tests share them; the upstream is reset before each test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.running import nobodys_port
from tests.service.in_process import Parts, data_plane
from tests.service.lulls import Before, lull_before
from tests.service.scripted_upstream import ScriptedUpstream, reply_natively

OWN_SYSTEM = "You are any."
SKILL = "Answer in one word."


@pytest.fixture(scope="session")
def _upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as made:
        made.models.append({"name": "far:latest", "digest": "d2", "remote_host": "https://x.test"})
        made.show["system"] = OWN_SYSTEM
        yield made


@pytest.fixture
def upstream(_upstream: ScriptedUpstream) -> ScriptedUpstream:
    _upstream.script = reply_natively
    _upstream.asked.clear()
    return _upstream


@pytest.fixture(scope="session")
def _plain(
    _upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Before]:
    with lull_before(_upstream.address, tmp_path_factory.mktemp("plain") / "home") as made:
        yield made


@pytest.fixture
def plain(_plain: Before, upstream: ScriptedUpstream) -> Before:
    """Lull without a skill."""
    return _plain


@pytest.fixture(scope="session")
def _skilled(
    _upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Before]:
    with lull_before(_upstream.address, tmp_path_factory.mktemp("skilled") / "home") as made:
        made.add_skill("brief", SKILL)
        yield made


@pytest.fixture
def skilled(_skilled: Before, upstream: ScriptedUpstream) -> Before:
    """Lull with one pinned skill."""
    return _skilled


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Lull without any upstream: only the built-in model can answer."""
    nobody = f"http://127.0.0.1:{nobodys_port()}"
    with lull_before(nobody, tmp_path_factory.mktemp("alone") / "home") as made:
        yield made


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
async def here(parts: Parts, upstream: ScriptedUpstream) -> AsyncIterator[str]:
    """The address of a data plane in this process, made of `parts`."""
    async with data_plane(parts, upstream.address) as address:
        yield address
