"""Tests of kill -9 in the middle of approvals, switches of skills, and moves of adapters.

Afterwards the store opens, what was acknowledged is there, nothing is half done, and what is in
force is what somebody approved.

20 kills in `make full`, 300 more in `make soak`. The first of each kind of change is killed behind
its end; the moment of each other is drawn from the time that such changes seem to take, so that a
slow machine is killed in the same places as a fast one.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lull.contract import routes
from lull.core.proof.proposal import ProposalStatus
from tests.building import half_written
from tests.cli.adapters.test_with_service import bring
from tests.desk import Desk, proved
from tests.eventually import eventually
from tests.loops.adapters.made_adapters import nudged_adapters
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import Said
from tests.service.process.killed.street import (
    COOK,
    CUT_OFF,
    POCKET,
    SETTINGS,
    Cook,
    InForce,
    Street,
)

pytestmark = [pytest.mark.full, pytest.mark.timeout(7200)]

ADAPTERS = ("adapter_one", "adapter_two")
ASKED = "write a menu for apple river stone"
ROOM = "desk"
"""Client whose skills are approved; answers at the plain address depend on the adapter."""
LESS, MORE = 0.8, 1.25
"""Factors of the time that a change seems to take, where the kill came behind its acknowledgement,
and where it came before."""
LOGGED_LINES = 60
"""Lines of each log that a failed test shows."""


@pytest.fixture(scope="module")
def nudged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two adapters of the built-in model, each with answers that no other adapter gives."""
    return nudged_adapters(tmp_path_factory)


@pytest.fixture
def cook() -> Iterator[Cook]:
    with Cook() as made:
        yield made


@pytest.fixture
def lull(tmp_path: Path, cook: Cook) -> Iterator[Lull]:
    with RunningLull.cleaned_up(tmp_path / "home", upstream=cook.address) as made:
        yield made
    # Shown where the test failed, behind the deaths: a fault that comes once in a hundred runs must
    # leave what explains it.
    for log in sorted((made.home / "logs").glob("*.log*")):
        lines = log.read_text(errors="replace").splitlines(keepends=True)
        sys.stdout.writelines([f"{log.name}, its last lines:\n", *lines[-LOGGED_LINES:]])


@dataclass
class Killed(Street):
    """A random history whose service is killed in the middle of one change after the other."""

    adapter: str | None = None
    takes_s: dict[str, float] = field(default_factory=dict)
    """How long each kind of change seems to take, the start of an engine included. It follows from
    whether the last ones were acknowledged before the kill."""
    acknowledged: int = 0
    done_unheard: int = 0
    """Number of changes that were made but not acknowledged: the service was killed in between."""

    def dies_in(self, what: str, change: Callable[[], Said]) -> bool:
        """Kill the service during a change; return whether the change was acknowledged before."""
        told: list[Said] = []

        def ask() -> None:
            with contextlib.suppress(*CUT_OFF):
                told.append(change())

        asker, begun_s = threading.Thread(target=ask), time.monotonic()
        asker.start()
        if (takes_s := self.takes_s.get(what)) is None:
            asker.join()  # killed behind its end: so it is known how long it takes
            takes_s = (time.monotonic() - begun_s) / LESS
        else:
            time.sleep(1.2 * self.chance.random() * takes_s)
        delay_s = time.monotonic() - begun_s
        self.is_killed()
        asker.join()
        heard = "acknowledged" if told else "not acknowledged"
        sys.stdout.write(f"death {self.deaths}, {1000 * delay_s:.1f} ms into {what}: {heard}\n")
        for said in told:
            assert said.status == 200, said
        self.acknowledged += len(told)
        self.takes_s[what] = takes_s * (LESS if told else MORE)
        return bool(told)

    def _happened(self, *, acknowledged: bool) -> bool:
        generation = self.socket.get(routes.SKILLS)["generation"]
        assert generation in (len(self.pages) - 1, len(self.pages))
        done: bool = generation == len(self.pages)
        assert done or not acknowledged, "an acknowledged change was lost"
        self.done_unheard += done and not acknowledged
        return done

    def approves_and_dies(self) -> None:
        proposal = self.open("proved", "unproved", "screened")[0]
        acknowledged = self.dies_in("approve", lambda: self._approve(proposal))
        done = self._happened(acknowledged=acknowledged)
        (now,) = [p for p in self.proposals() if p["id"] == proposal["id"]]
        assert (now["status"] == "approved") == done
        if done:
            self._is_approved(proposal)

    def switches_and_dies(self) -> None:
        there = sorted(self.pages[-1])
        if not there:
            self.approves_and_dies()
            return
        key = self.chance.choice(there)
        stands = self.pages[-1][key]
        does = "disable" if stands.active else "enable"
        wanted = {"do": does, "client": key[0], "name": key[1]}
        acknowledged = self.dies_in("switch", lambda: self.socket.change(**wanted))
        if self._happened(acknowledged=acknowledged):
            now = InForce(sha256=stands.sha256, body=stands.body, active=not stands.active)
            self.pages.append({**self.pages[-1], key: now})

    def moves_and_dies(self) -> None:
        """Move to another adapter or to the base model, and kill the service meanwhile."""
        to = self.chance.choice([one for one in (None, *ADAPTERS) if one != self.adapter])
        if to is None:
            path, body = routes.ADAPTERS_ROLLBACK, {"to": "base"}
        else:
            path, body = routes.ADAPTERS_PROMOTE, {"adapter": to, "anyway": True}
        what = "back" if to is None else "promote"
        acknowledged = self.dies_in(what, lambda: self.socket.ask("POST", path, body))
        now = self.socket.get(routes.ADAPTERS)["active"]
        assert now in (self.adapter, to)
        assert now == to or not acknowledged, "an acknowledged move was lost"
        self.done_unheard += now == to and not acknowledged
        self.adapter = now

    # What holds after each death

    def is_whole(self) -> None:
        said = self.socket.get(f"{routes.SKILLS}?all=1")
        found = {
            (skill["client"] or "", skill["name"]): (skill["sha256"], skill["status"] == "active")
            for skill in said["skills"]
        }
        wanted = {key: (s.sha256, s.active) for key, s in self.pages[-1].items()}
        assert found == wanted
        self.settled()
        status = self.socket.get(routes.STATUS)
        assert status["problems"] == []
        assert status["policy"]["adapter_id"] == self.adapter
        listed = self.socket.get(routes.ADAPTERS)["adapters"]
        in_force = [one["id"] for one in listed if one["status"] == "active"]
        assert in_force == [self.adapter] * (self.adapter is not None)
        # The bytes on the disk are those that were approved.
        approved = {s.sha256 for page in self.pages for s in page.values()}
        library = self.lull.home / "library"
        for file in library.glob("skills/*/*/SKILL.md"):
            assert hashlib.sha256(file.read_bytes()).hexdigest() in approved
        eventually(lambda: not half_written(library))
        # And so is what a model is given: `says` refuses a body that is in force for nobody.
        self.says(ROOM, COOK, [{"role": "user", "content": self.asks()}])


def answers(street: Killed) -> str:
    body = {
        "model": POCKET,
        "stream": False,
        "options": {"temperature": 0, "num_predict": 24},
        "messages": [{"role": "user", "content": ASKED}],
    }
    answer = street.service.post("/api/chat", body)
    assert answer.status == 200, answer
    content: str = answer.json["message"]["content"]
    return content


def stock(lull: Lull, nudged: Path, proposals: int) -> None:
    lull.home.mkdir(mode=0o700)
    (lull.home / "settings.toml").write_text(SETTINGS)
    with Desk(lull.home).open() as desk:
        for number in range(proposals):
            desk.propose(
                f"menu-{number}",
                client=ROOM,
                body=f"Join the words of menu {number} with bars.",
                status=ProposalStatus.PROVED,
                replays=proved(),
            )
    bring(lull.home, dict(zip(ADAPTERS, (nudged / "nudged", nudged / "nudged2"), strict=True)))


@pytest.mark.parametrize(("kills", "seed"), [(20, 0), pytest.param(300, 1, marks=pytest.mark.soak)])
def test_no_kill_loses_or_halves_a_change(
    lull: Lull, cook: Cook, nudged: Path, kills: int, seed: int
) -> None:
    stock(lull, nudged, proposals=kills)
    street = Killed(lull, cook, random.Random(seed))
    said = {None: answers(street)}
    changes = (street.approves_and_dies, street.switches_and_dies, street.moves_and_dies)
    for number in range(kills):
        changes[number % len(changes)]()
        street.is_whole()
        if number % len(changes) == 2:  # the adapter may be another
            answer = answers(street)
            assert answer == said.setdefault(street.adapter, answer)
    assert street.deaths == kills
    assert len(set(said.values())) == len(said), "each adapter answers as it does"
    assert street.acknowledged < kills, "killed before some answers and behind others"
    assert street.takes_s.keys() >= {"approve", "switch", "promote"}
    for proposal in [p for p in street.proposals() if p["status"] == "approved"][:3]:
        assert lull.ask("verify", proposal["name"], "--client", ROOM)["holds"]
    street.service.stop()
    checks = {one["name"]: one for one in lull.run("doctor", "--json").json["checks"]}
    assert checks["store"]["ok"] and checks["skills"]["ok"]
