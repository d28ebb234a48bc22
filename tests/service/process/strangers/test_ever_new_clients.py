"""Tests that a program with a new client name in every request hardly makes the service grow."""

from __future__ import annotations

import psutil
import pytest

from lull.contract import routes
from tests.building import bytes_below
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket

pytestmark = pytest.mark.full

MIB = 1 << 20


def liked(running: RunningLull, number: int, *, by_address: bool) -> None:
    """Chat as a client that was never here before, and rate the answer good."""
    name = f"new-{number}"
    body = {
        "model": "pocket",
        "stream": False,
        "options": {"num_predict": 4},
        "messages": [{"role": "user", "content": f"list: apple, pear and fig number {number}"}],
    }
    path, headers = (
        (f"/c/{name}/api/chat", {}) if by_address else ("/api/chat", {"User-Agent": name})
    )
    assert running.post(path, body, headers).status == 200
    control = ControlSocket(running.lull.home)
    found = eventually(
        lambda: [
            one
            for one in control.get(f"{routes.CONVERSATIONS}?limit=3")["conversations"]
            if str(number) in str(one)
        ]
    )
    turn = control.get(routes.CONVERSATION.format(id=found[0]["id"]))["turns"][-1]
    rated = control.ask("POST", routes.RATE.format(id=turn["id"]), {"label": "good"})
    assert rated.status == 200


def remembered(running: RunningLull) -> int:
    folder = running.lull.home / "vectors"
    return sum(len(data) for _, data in bytes_below(folder))


def test_ever_new_names_take_kilobytes_of_memory_each(lull: Lull) -> None:
    running = lull.serve()
    process = psutil.Process(running.process.pid)
    for number in range(1000, 1030):
        liked(running, number, by_address=number % 2 == 0)
    before, on_disk = process.memory_info().rss, remembered(running)
    for number in range(1030, 1090):
        liked(running, number, by_address=number % 2 == 0)
    grown = process.memory_info().rss - before
    # A matrix of its own for each client would take 3 MiB per client.
    assert grown < 60 * MIB, grown / MIB
    # They were remembered, which is what takes the memory.
    eventually(lambda: remembered(running) > on_disk)
