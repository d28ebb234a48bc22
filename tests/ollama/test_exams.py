"""A tiny model of a real Ollama is examined, fails, and says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ollama.conftest import RealOllama
from tests.running import eventually
from tests.service.lulls import Before, lull_before

pytestmark = pytest.mark.slow

ONLY = """\
[upstream]
probe_every_s = 0.2
[reader]
model = "pocket-gguf"

[judge]
model = "pocket-gguf"

[writer]
model = "none"
"""


@pytest.fixture
def lull(ollama: RealOllama, tmp_path: Path) -> Iterator[Before]:
    with lull_before(ollama.address, tmp_path / "home", ONLY) as made:
        yield made


def test_a_model_of_few_words_fails_honestly_and_is_used_only_because_it_was_named(
    lull: Before,
) -> None:
    assert lull.control("GET", "/v1/models/exams")["exams"] == []
    lull.control("POST", "/v1/models/exams", {})
    page = eventually(lambda: _done(lull), within_s=240)
    assert page["error"] is None
    results = {one["role"]: one for one in page["exams"]}
    assert set(results) == {"reader", "judge"}
    assert {one["model"] for one in page["exams"]} == {"pocket-gguf:latest"}
    judge = results["judge"]
    assert judge["passed"] is False and judge["n"] >= 10
    assert judge["low"] < 0.7 and "balanced accuracy" in judge["why"]
    assert "Broken off" in judge["why"]
    assert results["reader"]["passed"] is False and results["reader"]["why"]
    assert "used because you named it" in page["roles"]["judge"]["why"]
    assert page["roles"]["writer"] == {
        "setting": "none",
        "model": None,
        "why": "Switched off. Skills come from your own worded corrections alone.",
    }
    checks = {one["name"]: one for one in lull.control("GET", "/v1/doctor")["checks"]}
    assert "did not pass its exam" in checks["exams"]["text"] and checks["exams"]["ok"]
    assert lull.control("GET", "/v1/status")["helpers"]["reader"]["model"] == "pocket-gguf"


def _done(lull: Before) -> dict[str, object] | None:
    page = lull.control("GET", "/v1/models/exams")
    return page if page["running"] is None and len(page["exams"]) == 2 else None
