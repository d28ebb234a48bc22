"""Tests that Chroma runs in a process of its own, which is there only while it is needed, and keeps
what it would keep in this one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from lull.backends.retrieval.chroma_collection import ChromaCollection
from lull.backends.retrieval.chroma_process import ChromaProcess, chroma_command
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplar_store import ExemplarLabel, ExemplarStore
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.core.errors import StoreError
from lull.core.skills.past_requests import NO_SKILL
from tests.eventually import eventually
from tests.paths import ROOT
from tests.starving import STARVES, starve

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NAME = HashedNgrams.name
SOON_S = 0.1


@pytest.fixture
def process(tmp_path: Path) -> Iterator[ChromaProcess]:
    made = ChromaProcess(tmp_path / "vectors", NAME)
    yield made
    made.close()


def put(store: ExemplarStore, id_: str, skill: str = "menu", client: str = "test") -> None:
    text = f"write a menu, {id_}"
    vector = np.asarray(HashedNgrams().embed([text])[0], np.float32)
    store.put(ExemplarLabel(id_, client, skill, 3), vector, text)


def test_what_it_keeps_is_what_chroma_keeps_in_this_process(
    tmp_path: Path, process: ChromaProcess
) -> None:
    told: list[list[object]] = []
    for store in (process, ChromaCollection(tmp_path / "here", NAME)):
        for number in range(3):
            put(store, f"{number}:menu")
        put(store, "3:", NO_SKILL, "other")
        store.remove(["1:menu", "unknown"])
        store.rewrite()
        pages = store.page(0, client="test")
        labels, vectors = [label for label, _ in pages], [vector.tolist() for _, vector in pages]
        elsewhere = store.of_other_embedders()
        told.append(
            [labels, vectors, store.ids(), store.count(), store.of_skill("menu"), elsewhere]
        )
    assert told[0] == told[1]
    assert told[0][3] == 2


def test_its_process_ends_when_nothing_is_stored_and_comes_back_with_the_next_call(
    tmp_path: Path,
) -> None:
    process = ChromaProcess(tmp_path / "vectors", NAME, leaves_after_s=SOON_S)
    try:
        assert process.pid is None
        put(process, "1:menu")
        eventually(lambda: process.pid is None, bool)
        put(process, "2:menu")
        assert sorted(process.ids()) == ["1:menu", "2:menu"]
        eventually(lambda: process.pid is None, bool)
    finally:
        process.close()


def test_a_process_that_was_killed_costs_nothing_that_was_stored(process: ChromaProcess) -> None:
    put(process, "1:menu")
    before = process.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    eventually(lambda: process.pid is None, bool)
    assert process.ids() == ["1:menu"]
    assert process.pid != before


def test_damage_is_said_by_the_process_as_well_and_the_folder_kept_aside(
    tmp_path: Path, process: ChromaProcess, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "chroma.sqlite3").write_bytes(b"x" * 5000)
    memory = ChromaExemplars(tmp_path / "vectors", HashedNgrams(), process)
    assert memory.kept_aside == tmp_path / "vectors.damaged-1"
    assert "it was kept as" in caplog.text
    caplog.clear()
    memory.add(id="1:menu", text="write a menu", client="test", skill="menu")
    assert memory.count() == 1


def test_a_file_in_place_of_the_folder_is_explained(tmp_path: Path, process: ChromaProcess) -> None:
    (tmp_path / "vectors").write_text("mine")
    with pytest.raises(StoreError, match="vectors"):
        process.ids()
    assert (tmp_path / "vectors").read_text() == "mine"


def test_in_a_frozen_app_the_process_is_the_app_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert chroma_command() == (sys.executable, "keep-vectors")
    # What such an app runs then, with an interpreter in its place.
    command = (sys.executable, "-m", "lull.cli.main", "keep-vectors")
    process = ChromaProcess(tmp_path / "vectors", NAME, command=command)
    try:
        put(process, "1:menu")
        assert process.ids() == ["1:menu"]
    finally:
        process.close()


async def test_where_nothing_was_stored_no_process_starts(tmp_path: Path) -> None:
    before = psutil.Process().children()
    late = LateExemplars(tmp_path / "vectors")
    memory, lost = await late.open()
    assert lost is None
    assert memory.count() == 0
    assert await late.opened() is None
    assert not (tmp_path / "vectors").exists()
    assert psutil.Process().children() == before


SERVICE = """
import asyncio, sys
from pathlib import Path
import psutil
import lull.service.entry.main
from lull.backends.retrieval.late_exemplars import LateExemplars

async def main():
    late = LateExemplars(Path(sys.argv[1]))
    await late.open()
    await late.credit("1", text="write a menu", client="test", skills=["menu"], known=1)
    loaded = {"chromadb", "opentelemetry"} & set(sys.modules)
    print(len(psutil.Process().children()), sorted(loaded))
    await late.close()
    print(len(psutil.Process().children()))

asyncio.run(main())
"""
"""Everything of a service, and a past request stored as it does it."""


def test_a_service_loads_neither_chroma_nor_what_chroma_needs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVICE, str(tmp_path / "vectors")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.split("\n")[:2] == ["1 []", "0"]


DIES = """
import os, signal, sys
from pathlib import Path
from lull.backends.retrieval.chroma_process import ChromaProcess

process = ChromaProcess(Path(sys.argv[1]), "hashed-ngrams-3")
process.ids()
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_ends_with_a_service_that_is_killed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIES, str(tmp_path / "vectors")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    eventually(lambda: psutil.pid_exists(int(done.stdout)), lambda there: not there)


@pytest.mark.skipif(os.name != "posix", reason="only on macOS and Linux")
def test_a_process_that_was_stopped_costs_the_call_and_no_other(tmp_path: Path) -> None:
    process = ChromaProcess(tmp_path / "vectors", NAME, check_every_s=SOON_S)
    try:
        put(process, "1:menu")
        assert process.pid is not None
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(StoreError, match="somebody had stopped it"):
            process.ids()
        assert process.ids() == ["1:menu"]
    finally:
        process.close()


def test_a_process_that_sleeps_over_a_call_is_replaced(tmp_path: Path) -> None:
    sleeps = (sys.executable, "-c", "import time; time.sleep(600)")
    process = ChromaProcess(
        tmp_path / "vectors", NAME, command=sleeps, asleep_s=5 * SOON_S, check_every_s=SOON_S
    )
    try:
        with pytest.raises(StoreError, match="it hung"):
            process.ids()
        assert process.pid is None
    finally:
        process.close()


NO_ROOM_FOR_A_THREAD = """
import os, resource, sys
os.environ["RUST_MIN_STACK"] = str(8 << 30)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from lull.backends.retrieval.chroma_child import main
sys.exit(main())
"""
"""The child process that keeps exemplars, with too little memory for any of Chroma's threads."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does")
def test_want_of_memory_is_not_taken_for_damage(tmp_path: Path, process: ChromaProcess) -> None:
    put(process, "1:menu")
    process.close()
    short = ChromaProcess(
        tmp_path / "vectors", NAME, command=(sys.executable, "-c", NO_ROOM_FOR_A_THREAD)
    )
    try:
        with pytest.raises(StoreError, match="too little memory"):
            ChromaExemplars(tmp_path / "vectors", HashedNgrams(), short)
        assert short.pid is None
    finally:
        short.close()
    assert [one.name for one in tmp_path.iterdir()] == ["vectors"]
    assert process.ids() == ["1:menu"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does")
def test_a_process_that_runs_out_of_memory_costs_no_call(tmp_path: Path) -> None:
    starving = f"{STARVES}\nfrom lull.backends.retrieval.chroma_child import main\nsys.exit(main())"
    process = ChromaProcess(tmp_path / "vectors", NAME, command=(sys.executable, "-c", starving))
    try:
        put(process, "1:menu")
        starved = process.pid
        assert starved is not None
        starve(starved)
        kept = ["1:menu"]
        while process.pid == starved:
            kept.append(f"{len(kept)}:wine")
            put(process, kept[-1], "wine")
        assert sorted(process.ids()) == sorted(kept)
    finally:
        process.close()
