"""Tests of past requests in a real Chroma: kept over restarts, separate by client, rebuilt."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from chromadb.api.shared_system_client import SharedSystemClient

from lull.backends.retrieval import exemplars
from lull.backends.retrieval.chroma_collection import ChromaCollection, collection_name
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.backends.retrieval.recollection import FEW_REQUESTS
from lull.core.errors import StoreError
from lull.core.provenance.redaction import redact_text
from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from tests.building import bytes_below
from tests.eventually import PATIENCE_S, eventually

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Shorter(HashedNgrams):
    """A second embedder, with other dimensions and a name that Chroma does not allow."""

    name = "ollama:nomic/embed-text"
    dimensions = 64


@pytest.fixture
def memory(tmp_path: Path) -> ChromaExemplars:
    return ChromaExemplars(tmp_path, HashedNgrams())


def add(memory: ChromaExemplars, id_: str, text: str, skill: str, client: str = "test") -> None:
    memory.add(id=id_, text=text, client=client, skill=skill)


def near(memory: ChromaExemplars, text: str, client: str = "test") -> list[str]:
    """Return the skills that similar past requests of a client speak for, most of all first."""
    found = memory.scores_by_skill(text, client=client, since=lambda _: 0, also=(), least=0.0)
    return sorted(found, key=lambda skill: -found[skill].wanted)


def scores(memory: ChromaExemplars, text: str) -> dict[str, PastRequestScores]:
    return memory.scores_by_skill(text, client="test", since=lambda _: 0, also=("s3",), least=0.0)


def test_each_client_has_its_own(memory: ChromaExemplars) -> None:
    add(memory, "1", "write a menu", "menu", client="cursor")
    assert near(memory, "write a menu") == []
    assert near(memory, "write a menu", client="cursor") == ["menu"]


def test_the_same_id_is_one_exemplar_wherever_it_moves(memory: ChromaExemplars) -> None:
    add(memory, "1", "write a menu", "menu")
    add(memory, "1", "write a menu", "other")
    add(memory, "1", "write a menu", "other", client="cursor")
    assert memory.count() == 1
    assert near(memory, "write a menu") == []
    assert near(memory, "write a menu", client="cursor") == ["other"]


def test_a_request_that_is_credited_to_a_skill_counts_no_longer_as_one_that_wanted_none(
    memory: ChromaExemplars,
) -> None:
    for skills in ([], ["menu", "sql"]):
        memory.credit("turn_1", text="write a menu", client="test", skills=skills, known=1)
    assert sorted(near(memory, "write a menu")) == ["menu", "sql"]


def test_what_is_removed_is_gone(memory: ChromaExemplars) -> None:
    for i in range(40):
        add(memory, str(i), f"write menu number {i}", f"s{i % 4}")
    memory.remove(["0", "unknown"])
    memory.remove([])
    memory.remove_skill(client="", skill="s1")
    memory.remove_skill(client="nobody", skill="s1")
    assert memory.count() == 40 - 1 - 10
    add(memory, "new", "write a new menu", "s9")
    assert near(memory, "write a new menu")[0] == "s9"
    memory.remove([str(i) for i in range(40)] + ["new"])
    assert memory.count() == 0
    assert near(memory, "write a new menu") == []
    add(memory, "again", "write a menu", "s1")
    assert near(memory, "write a menu") == ["s1"]


def test_it_survives_a_restart(tmp_path: Path, memory: ChromaExemplars) -> None:
    for i in range(20):
        add(memory, str(i), f"write menu number {i}", "menu", client=f"c{i % 2}")
    memory.remove(["3"])
    again = ChromaExemplars(tmp_path, HashedNgrams())
    assert again.count() == 19
    asked: dict[str, Any] = {"since": lambda _: 0, "also": (), "least": 0.0}
    before = memory.scores_by_skill("write menu number 7", client="c1", **asked)
    after = again.scores_by_skill("write menu number 7", client="c1", **asked)
    assert after["menu"].among == before["menu"].among == 9
    assert after["menu"].wanted == pytest.approx(before["menu"].wanted)


def test_that_a_request_wanted_no_skill_is_kept_and_is_no_credit(
    tmp_path: Path, memory: ChromaExemplars
) -> None:
    add(memory, "1:menu", "write a menu", "menu")
    memory.add(id="2:", text="what is a lull", client="test", skill=NO_SKILL, known=4)
    again = ChromaExemplars(tmp_path, HashedNgrams())
    assert again.count() == memory.count() == 1
    for kept in (memory, again):
        before, after = (
            kept.scores_by_skill(
                "what is a lull",
                client="test",
                since=lambda _, g=g: g,
                also=("menu",),
                least=-1.0,
            )
            for g in (4, 5)
        )
        assert before["menu"].helped < 0 <= after["menu"].helped + 1e-6
    again.remove(again.of_turns(["2"]))
    assert ChromaExemplars(tmp_path, HashedNgrams()).of_turns(["1", "2"]) == ["1:menu"]


def test_of_requests_that_wanted_no_skill_the_newest_are_kept(
    memory: ChromaExemplars, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exemplars, "MOST_REFUSALS", 3)
    add(memory, "old:menu", "write a menu", "menu")
    for number in range(5):
        memory.add(id=f"{number}:", text=f"what is lull {number}", client="test", skill=NO_SKILL)
    kept = memory.of_turns(["old", *map(str, range(5))])
    assert kept == ["old:menu", "2:", "3:", "4:"]


SMALL = 200_000
"""Limit in bytes that holds the memory of a few clients."""


def flood(memory: ChromaExemplars, clients: int = 30) -> None:
    """Add two requests from each of many clients, all under new names."""
    for number in range(clients):
        for turn in "ab":
            add(memory, f"{number}{turn}:menu", f"write menu {turn}", "menu", f"new-{number}")


@pytest.mark.full
def test_ever_new_clients_take_no_more_memory_than_is_set(tmp_path: Path) -> None:
    memory = ChromaExemplars(tmp_path, HashedNgrams(), most_bytes=SMALL)
    flood(memory)
    assert 0 < memory.bytes_held <= SMALL
    assert memory.count() == 60
    again = ChromaExemplars(tmp_path, HashedNgrams(), most_bytes=SMALL)
    assert 0 < again.bytes_held <= SMALL
    assert again.count() == 60


@pytest.mark.full
def test_a_client_that_others_pushed_out_is_known_again_when_it_asks(tmp_path: Path) -> None:
    memory = ChromaExemplars(tmp_path, HashedNgrams(), most_bytes=SMALL)
    add(memory, "mine:menu", "write a menu for Sunday", "menu", "mine")
    add(memory, "said:", "what is a lull", NO_SKILL, "mine")
    before = memory.scores_by_skill(
        "write a menu", client="mine", since=lambda _: 0, also=(), least=-1.0
    )

    def heard() -> object:
        return memory.scores_by_skill(
            "write a menu", client="mine", since=lambda _: 0, also=(), least=-1.0
        )

    for opened in (memory, ChromaExemplars(tmp_path, HashedNgrams(), most_bytes=SMALL)):
        flood(memory)
        memory = opened
        assert eventually(heard, bool) == before
    # A request that comes while the client's others are only on disk counts with them.
    flood(memory)
    add(memory, "more:menu", "write a menu with fish", "menu", "mine")
    recalled = memory.scores_by_skill(
        "write a menu", client="mine", since=lambda _: 0, also=(), least=-1.0
    )
    assert recalled["menu"].among == 3


def test_what_lies_on_the_disk_alone_is_removed_like_the_rest(tmp_path: Path) -> None:
    memory = ChromaExemplars(tmp_path, HashedNgrams(), most_bytes=SMALL)
    add(memory, "mine:menu", "write a menu for Sunday", "menu", "mine")
    add(memory, "mine:wine", "write a menu for Sunday", "wine", "mine")
    add(memory, "mine2:wine", "which wine for fish", "wine", "mine")
    flood(memory)
    assert sorted(memory.of_turns(["mine", "mine2"])) == ["mine2:wine", "mine:menu", "mine:wine"]
    memory.remove_skill(client="", skill="wine")
    memory.remove(memory.of_turns([f"{n}{turn}" for n in range(30) for turn in "ab"]))
    assert memory.count() == 1
    assert eventually(lambda: near(memory, "which wine for fish", "mine"), bool) == ["menu"]


class Refusing(ChromaCollection):
    """A database that removes nothing while it is told to refuse."""

    refuses = False

    def remove(self, ids: Sequence[str]) -> None:
        if self.refuses:
            raise StoreError("There is no memory now.")
        super().remove(ids)


def test_what_cannot_be_removed_now_is_not_found_and_removed_before_anything_is_stored(
    tmp_path: Path,
) -> None:
    store = Refusing(tmp_path, HashedNgrams.name)
    memory = ChromaExemplars(tmp_path, HashedNgrams(), store)
    add(memory, "mine:menu", "write a menu for Sunday", "menu")
    add(memory, "mine:wine", "write a menu for Sunday", "wine")
    store.refuses = True
    with pytest.raises(StoreError):
        memory.remove(["mine:menu"])
    assert near(memory, "write a menu for Sunday") == ["wine"]
    for stores in (lambda: add(memory, "mine:menu", "a menu", "menu"), memory.rewrite):
        with pytest.raises(StoreError):
            stores()
    assert sorted(store.ids()) == ["mine:menu", "mine:wine"]
    store.refuses = False
    add(memory, "other:wine", "which wine for fish", "wine")
    assert sorted(store.ids()) == ["mine:wine", "other:wine"]
    add(memory, "mine:menu", "write a menu for Sunday", "menu")  # rated good again
    assert sorted(store.ids()) == ["mine:menu", "mine:wine", "other:wine"]


def test_another_embedder_makes_the_vectors_again_and_mixes_none(
    tmp_path: Path, memory: ChromaExemplars
) -> None:
    add(memory, "1", "write a menu for Sunday", "menu")
    other = ChromaExemplars(tmp_path, Shorter())
    assert other.count() == 1
    assert near(other, "a menu for Sunday") == ["menu"]
    back = ChromaExemplars(tmp_path, HashedNgrams())
    assert back.count() == 1
    assert near(back, "a menu for Sunday") == ["menu"]


@pytest.mark.parametrize("name", ["a", "ollama:nomic-embed-text:latest", "x/y", "é", "", "q" * 300])
def test_any_embedders_name_makes_a_name_that_chroma_takes(name: str) -> None:
    made = collection_name(name)
    assert 3 <= len(made) <= 512
    assert made[-1].isalnum()
    assert all(c.isascii() and (c.isalnum() or c in "._-") for c in made)
    assert made != collection_name(f"{name}2")


def test_what_the_next_request_multiplies_is_computed_beside_it(tmp_path: Path) -> None:
    memory = ChromaExemplars(tmp_path, HashedNgrams())
    for i in range(FEW_REQUESTS + 6):
        add(memory, str(i), f"write menu number {i}", f"s{i % 4}")
    (past,) = memory._by_client.values()
    for asked in ("write menu number 3", "write menu number 4"):
        before = scores(memory, asked)
        eventually(past.foreseeing, lambda work: work is None)
        assert scores(memory, asked)["s3"].wanted == pytest.approx(before["s3"].wanted, abs=1e-5)
        add(memory, asked, asked, "s3")  # a change: it is computed anew
        assert scores(memory, asked)["s3"].wanted > before["s3"].wanted


def test_a_request_never_waits_for_the_disk(tmp_path: Path) -> None:
    embedding = threading.Event()
    go_on = threading.Event()

    class Slow(HashedNgrams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if texts[0].startswith("slow"):
                embedding.set()
                go_on.wait(PATIENCE_S)
            return super().embed(texts)

    memory = ChromaExemplars(tmp_path, Slow())
    add(memory, "1", "write a menu", "menu")
    writer = threading.Thread(target=add, args=(memory, "2", "slow menu", "menu"))
    writer.start()
    assert embedding.wait(PATIENCE_S)
    assert near(memory, "write a menu") == ["menu"]
    go_on.set()
    writer.join()
    assert memory.count() == 2


def test_what_was_redacted_is_redacted_there_too(tmp_path: Path, memory: ChromaExemplars) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    add(memory, "1", redact_text(f"use {secret}", lambda _kind, _secret: 1), "menu")
    assert not [path for path, data in bytes_below(tmp_path) if secret.encode() in data]
    assert any(b"secret:aws-key:1" in data for _, data in bytes_below(tmp_path))


def middle(data: bytes) -> bytes:
    noise = random.Random(1).randbytes(len(data) // 4)
    return data[: len(data) // 2] + noise + data[-len(data) // 4 :]


@pytest.mark.slow
@pytest.mark.logs("it was kept as")
@pytest.mark.parametrize(
    "spoil", [lambda _: b"x" * 5000, lambda d: d[: len(d) // 2], middle], ids=["no", "cut", "noise"]
)
def test_a_damaged_folder_is_kept_aside_and_a_new_one_begun(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    folder = tmp_path / "chroma"
    for i in range(30):
        add(ChromaExemplars(folder, HashedNgrams()), str(i), f"menu {i}", "menu")
    SharedSystemClient.clear_system_cache()  # as after the end of the process
    file = folder / "chroma.sqlite3"
    file.write_bytes(spoil(file.read_bytes()))
    memory = ChromaExemplars(folder, HashedNgrams())
    assert memory.kept_aside == tmp_path / "chroma.damaged-1"
    assert memory.count() == 0
    add(memory, "1", "write a menu", "menu")
    assert near(memory, "write a menu") == ["menu"]


def test_a_file_in_place_of_the_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("mine")
    with pytest.raises(StoreError, match="chroma"):
        ChromaExemplars(tmp_path / "chroma", HashedNgrams())
    assert (tmp_path / "chroma").read_text() == "mine"


@pytest.mark.slow
def test_it_loads_nothing_to_send_traces_with_whatever_the_environment_says(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.backends.retrieval.embedder import HashedNgrams
memory = ChromaExemplars(Path(sys.argv[1]), HashedNgrams())
memory.add(id="1", text="write a menu", client="test", skill="menu")
found = memory.scores_by_skill(
    "write a menu", client="test", since=lambda _: 0, also=(), least=0.0
)
print(*found, "grpc" in sys.modules)
"""
    environment = {**os.environ, "CHROMA_OTEL_GRANULARITY": "all"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "menu False\n"
