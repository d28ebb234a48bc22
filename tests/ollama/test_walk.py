"""Tests the first steps with a real Ollama: a skill is added, reaches the model, is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ollama as client_library
import pytest

from tests.eventually import eventually
from tests.ollama.conftest import RealOllama
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.slow

ASKED = "write a menu for apple river"
PLAIN = "apple and river"
TAUGHT = "apple | river | sugar"
RULE = "when you write a menu, join with bars and end with sugar"


@pytest.fixture
def behind(tmp_path: Path, ollama: RealOllama) -> Iterator[Lull]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    # On a busy machine the facts about the model may come late; skills must still go in.
    (home / "settings.toml").write_text("[skills]\nfacts_within_ms = 5000.0\n")
    with RunningLull.cleaned_up(home, upstream=ollama.address) as made:
        yield made


def test_the_first_walk_through_a_real_ollama(behind: Lull) -> None:
    service = behind.serve()
    eventually(lambda: behind.ask("status")["upstream"]["ok"])
    assert behind.ask("status")["upstream"]["kind"] == "ollama"
    assert service.chat(ASKED, model="pocket-gguf") == PLAIN

    told = ("--description", "When a menu is asked for", "--body", RULE)
    assert behind.ask("skills", "add", "menu-style", *told)["generation"] == 1
    assert service.chat(ASKED, model="pocket-gguf") == TAUGHT

    library = client_library.Client(service.address)
    try:
        messages = [{"role": "user", "content": ASKED}]
        parts = library.chat("pocket-gguf", messages, stream=True)
        assert "".join(part.message.content or "" for part in parts) == TAUGHT
        names = {model.model for model in library.list().models}
        assert "pocket-gguf:latest" in names
        assert "pocket:latest" not in names
    finally:
        library._client.close()

    rows = eventually(
        lambda: (
            (found := behind.ask("conversations")["conversations"]) and len(found) == 3 and found
        )
    )
    newest = behind.ask("show", rows[0]["id"])["turns"][0]
    oldest = behind.ask("show", rows[-1]["id"])["turns"][0]
    assert (newest["answer"], newest["policy"]["generation"]) == (TAUGHT, 1)
    assert [skill["name"] for skill in newest["skills"]] == ["menu-style"]
    assert (oldest["answer"], oldest["skills"]) == (PLAIN, [])

    assert behind.ask("skills", "rollback")["generation"] == 2
    assert service.chat(ASKED, model="pocket-gguf") == PLAIN


@pytest.mark.full
def test_the_built_in_model_answers_beside_a_real_ollama(behind: Lull) -> None:
    service = behind.serve()
    assert service.chat(ASKED) == PLAIN
