"""Tests of `lull adapters` with and without a running service, on the built-in model itself."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.backends.mlx.local_facts import read_local_model
from lull.config.paths import Paths
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.chat.messages import Sampling
from lull.resources import pocket_dir
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.sqlite.database import Database
from tests.cli.parser.test_words import one_line
from tests.eventually import eventually
from tests.loops.adapters.made_adapters import nudged_adapters
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
ASKED = "write a menu for apple river stone"
MOST = 24
"""Most tokens of an answer: with a nudged adapter the model does not end by itself."""


@pytest.fixture(scope="module")
def nudged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two adapters of the built-in model, each with answers that no other adapter gives."""
    return nudged_adapters(tmp_path_factory)


@pytest.fixture
def stocked(lull: Lull, nudged: Path) -> Lull:
    """A home with two candidate adapters; the gate has accepted the first."""
    lull.home.mkdir(mode=0o700)
    bring(lull.home, {"adapter_one": nudged / "nudged", "adapter_two": nudged / "nudged2"})
    return lull


def bring(home: Path, folders: dict[str, Path]) -> None:
    paths = Paths(home=home, temporary=home)
    model = read_local_model("pocket", pocket_dir(), sampling=Sampling())
    files, database = AdapterFiles(paths.home / "adapters"), Database(paths.database)
    adapters = Adapters(database)

    async def add() -> None:
        for number, (name, folder) in enumerate(folders.items()):
            version = AdapterVersion(
                id=name,
                parent=None,
                base_model="pocket",
                base_digest=model.digest,
                sha256=files.take_in(name, folder),
                run=None,
                status=AdapterStatus.CANDIDATE,
                made=NOW + timedelta(seconds=number),
            )
            await adapters.add(version)
        checks = (
            GateCheck(name="target", holds=True, text="it is better", value=25.0, limit=20.0),
        )
        verdict = Verdict(accepted=True, at=NOW, against=None, checks=checks)
        await adapters.store_verdict("adapter_one", verdict)

    asyncio.run(add())
    database.close()


@pytest.fixture
def running(stocked: Lull) -> Iterator[RunningLull]:
    yield stocked.serve()


def test_without_a_service_they_are_listed_shown_and_compared(stocked: Lull) -> None:
    listed = stocked.ask("adapters", "list")
    assert listed["active"] is None
    assert [one["id"] for one in listed["adapters"]] == ["adapter_two", "adapter_one"]
    keys = {"id", "parent", "base", "sha256", "status", "made"}
    assert all(keys <= set(one) for one in listed["adapters"])
    shown = stocked.ask("adapters", "show", "adapter_one")
    assert shown["verdict"]["accepted"] and shown["verdict"]["reasons"] == ["it is better"]
    compared = stocked.ask("adapters", "compare", "adapter_one", "adapter_two")
    assert compared["checks"][0]["a"]["holds"] and compared["checks"][0]["b"] is None
    text = stocked.run("adapters").out
    assert "adapter_one" in text and "candidate" in text
    assert "it is better" in stocked.run("adapters", "show", "adapter_one").out
    assert "target" in stocked.run("adapters", "compare", "adapter_one", "adapter_two").out
    for words in (["promote", "adapter_one"], ["rollback"]):
        ran = stocked.run("adapters", *words, "--json")
        assert ran.code == 3 and ran.json["error"]["title"] == "Lull is not running"


def test_where_nothing_was_ever_stored_nothing_is_listed(lull: Lull) -> None:
    assert lull.ask("adapters", "list")["adapters"] == []
    assert lull.run("adapters", "show", "adapter_one").code == 1


def test_promoted_answers_and_taken_back_answers_as_before(running: RunningLull) -> None:
    lull = running.lull
    base = running.chat(ASKED, most=MOST)
    assert lull.ask("status")["policy"]["adapter"] is None
    promoted = lull.ask("adapters", "promote", "adapter_one")
    assert promoted["active"] == "adapter_one"
    version = next(o["sha256"] for o in promoted["adapters"] if o["id"] == "adapter_one")
    learned = running.chat(ASKED, most=MOST)
    assert learned != base
    assert lull.ask("status")["policy"]["adapter"] == version
    (turn,) = lull.ask("show")["turns"]
    assert turn["policy"]["adapter"] == version
    back = lull.ask("adapters", "rollback")
    assert back["active"] is None
    assert running.chat(ASKED, most=MOST) == base
    assert lull.ask("adapters", "list") == back
    told = lull.ask("adapters", "show", "adapter_one")["moves"]
    assert [(move["move"], move["active"]) for move in told] == [
        ("roll back", None),
        ("promote", "adapter_one"),
    ]
    running.stop()
    assert lull.ask("adapters", "show", "adapter_one")["moves"] == told
    assert lull.ask("adapters", "show", "adapter_two")["moves"] == []


def test_what_the_gate_did_not_accept_needs_a_word_more(running: RunningLull) -> None:
    lull = running.lull
    ran = lull.run("adapters", "promote", "adapter_two")
    assert ran.code == 1 and "it has not been tested yet" in one_line(ran.err)
    assert lull.ask("adapters", "promote", "adapter_two", "--anyway")["active"] == "adapter_two"
    assert lull.run("adapters", "rollback", "--to", "base").out == "The base is in use.\n"
    for words in (["promote", "nothing"], ["rollback", "--to", "nothing"], ["show", "../status"]):
        ran = lull.run("adapters", *words, "--json")
        assert ran.code == 1 and ran.json["error"]["title"] == "Not found"
    ran = lull.run("adapters", "rollback")
    assert ran.code == 1 and one_line(ran.err).startswith("lull: Conflict: ")


def test_what_is_in_force_is_served_after_a_fall_and_a_damaged_one_is_not(
    running: RunningLull,
) -> None:
    lull = running.lull
    lull.ask("adapters", "promote", "adapter_one")
    one = running.chat(ASKED, most=MOST)
    lull.ask("adapters", "promote", "adapter_two", "--anyway")
    two = running.chat(ASKED, most=MOST)
    assert one != two
    running.kill()
    again = lull.serve()
    assert again.chat(ASKED, most=MOST) == two
    again.kill()
    weights = lull.home / "adapters" / "adapter_two" / "adapters.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    last = lull.serve()
    assert last.chat(ASKED, most=MOST) == one
    status = lull.ask("status")
    assert any("adapter_two" in problem["detail"] for problem in status["problems"])
    assert lull.ask("adapters", "list")["active"] == "adapter_one"


def changed_byte(home: Path) -> None:
    weights = home / "adapters" / "adapter_one" / "adapters.safetensors"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 0xFF
    weights.write_bytes(data)


def swapped(home: Path) -> None:
    one, two = (home / "adapters" / name for name in ("adapter_one", "adapter_two"))
    one.rename(home / "adapters" / "aside")
    two.rename(one)
    (home / "adapters" / "aside").rename(two)


def scaled(home: Path) -> None:
    config = home / "adapters" / "adapter_one" / "adapter_config.json"
    said = json.loads(config.read_text())
    said["lora_parameters"]["scale"] *= 10
    config.write_text(json.dumps(said))


def linked(home: Path) -> None:
    weights = home / "adapters" / "adapter_one" / "adapters.safetensors"
    weights.unlink()
    weights.symlink_to(home / "adapters" / "adapter_two" / "adapters.safetensors")


def swapped_with_its_hash(home: Path) -> None:
    swapped(home)
    database = sqlite3.connect(home / "lull.db")
    with database:
        hashes = dict(database.execute("SELECT id, sha256 FROM adapters").fetchall())
        for one, other in itertools.permutations(hashes):
            database.execute("UPDATE adapters SET sha256 = ? WHERE id = ?", (hashes[other], one))
    database.close()


@pytest.mark.parametrize("harm", [changed_byte, swapped, scaled, linked, swapped_with_its_hash])
def test_other_files_than_were_accepted_answer_nobody(
    running: RunningLull, harm: Callable[[Path], None]
) -> None:
    lull = running.lull
    base = running.chat(ASKED, most=MOST)
    lull.ask("adapters", "promote", "adapter_one")
    one = running.chat(ASKED, most=MOST)
    assert one != base
    lull.ask("adapters", "rollback")
    harm(lull.home)
    refused = lull.run("adapters", "promote", "adapter_one", "--json")
    assert refused.code != 0 and "not what was trained" in refused.json["error"]["detail"]
    assert running.chat(ASKED, most=MOST) == base


@pytest.mark.parametrize("harm", [changed_byte, swapped, scaled, linked, swapped_with_its_hash])
def test_files_changed_between_two_starts_answer_nobody_and_are_told(
    running: RunningLull, harm: Callable[[Path], None]
) -> None:
    lull = running.lull
    base = running.chat(ASKED, most=MOST)
    lull.ask("adapters", "promote", "adapter_one")
    assert running.stop() == 0
    harm(lull.home)
    again = lull.serve()
    assert again.chat(ASKED, most=MOST) == base
    said = [problem["detail"] for problem in lull.ask("status")["problems"]]
    assert any("adapter_one" in one and "not what was trained" in one for one in said), said
    assert lull.ask("adapters", "list")["active"] is None


def test_the_engine_may_fall_and_still_serves_what_is_in_force(running: RunningLull) -> None:
    import psutil

    lull = running.lull
    lull.ask("adapters", "promote", "adapter_one")
    one = running.chat(ASKED, most=MOST)
    (engine,) = [
        child
        for child in psutil.Process(running.process.pid).children(recursive=True)
        if "lull.engine.main" in child.cmdline()
    ]
    engine.kill()

    def answers() -> str | None:
        answer = running.post(
            "/api/chat",
            {
                "model": "pocket",
                "stream": False,
                "options": {"temperature": 0, "num_predict": MOST},
                "messages": [{"role": "user", "content": ASKED}],
            },
        )
        return answer.json["message"]["content"] if answer.status == 200 else None

    assert eventually(answers) == one
    assert json.loads(lull.run("status", "--json").out)["policy"]["adapter_id"] == "adapter_one"
