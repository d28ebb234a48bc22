"""Tests of the control API over its real socket: who may open it, what it answers and refuses."""

from __future__ import annotations

import stat
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from tests.eventually import PATIENCE_S, eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket, Said

pytestmark = pytest.mark.slow


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def fresh() -> str:
    return f"skill-{uuid.uuid4().hex[:12]}"


def only(events: Iterator[Json], kind: str) -> Json:
    """Return the next event of this kind; events of other kinds may come before it."""
    return next(event for event in events if event["kind"] == kind)


def up_to_generation(events: Iterator[Json], generation: int) -> list[Json]:
    """Return all events up to the one that reports this generation."""
    seen = [next(events)]
    while seen[-1]["fields"].get("generation") != generation:
        seen.append(next(events))
    return seen


def generations(events: list[Json]) -> list[int]:
    return [event["fields"]["generation"] for event in events if event["kind"] == "generation"]


def test_only_the_owner_may_open_it(control: ControlSocket) -> None:
    socket = Path(control.path)
    assert stat.S_ISSOCK(socket.stat().st_mode)
    assert mode(socket) == 0o600
    assert mode(socket.parent) == 0o700
    assert mode(control.home) == 0o700
    assert mode(control.home / "logs" / "service.log") == 0o600


WRONG: list[tuple[str, str, object, int]] = [
    ("GET", "/v1/nothing", None, 404),
    ("GET", "/", None, 404),
    ("PUT", "/v1/status", None, 405),
    ("GET", "/v1/conversations/conv_none", None, 404),
    ("GET", "/v1/conversations?after=conv_none", None, 404),
    ("GET", "/v1/conversations?limit=all", None, 400),
    ("GET", "/v1/conversations?label=fine", None, 400),
    ("GET", "/v1/conversations?excluded=1", None, 400),
    ("POST", "/v1/conversations/conv_none/exclude", {"excluded": True}, 404),
    ("POST", "/v1/conversations/conv_none/exclude", {"excluded": "yes"}, 400),
    ("GET", "/v1/events?after=-1", None, 400),
    ("GET", "/v1/events?after=soon", None, 400),
    ("GET", "/v1/skills?client=a/b", None, 400),
    ("GET", "/v1/skills/history?name=nothing-here", None, 404),
    ("GET", "/v1/skills/history?name=No_Name", None, 400),
    ("GET", "/v1/skills/diff", None, 400),
    ("POST", "/v1/turns/turn_none/rate", {"label": "good"}, 404),
    ("POST", "/v1/turns/turn_none/rate", {"label": "fine"}, 400),
    ("POST", "/v1/turns/turn_none/rate", {}, 400),
    ("POST", "/v1/skills/change", b"", 400),
    ("POST", "/v1/skills/change", b"{", 400),
    ("POST", "/v1/skills/change", b"[]", 400),
    ("POST", "/v1/skills/change", b"\xff\xfe", 400),
    ("POST", "/v1/skills/change", b"[" * 100_000, 400),
    ("POST", "/v1/skills/change", b"x" * 9_000_000, 413),
    ("POST", "/v1/skills/change", {}, 400),
    ("POST", "/v1/skills/change", {"do": "dance", "name": "a"}, 400),
    ("POST", "/v1/skills/change", {"do": "add", "name": "a"}, 400),
    ("POST", "/v1/skills/change", {"do": "add", "name": 5, "description": "d"}, 400),
    ("POST", "/v1/skills/change", {"do": "pin", "name": "nothing-here"}, 404),
    ("POST", "/v1/skills/change", {"do": "pin", "name": "a", "client": "../b"}, 400),
    ("POST", "/v1/skills/change", {"do": "rollback", "generation": "one"}, 400),
    ("POST", "/v1/skills/change", {"do": "rollback", "generation": True}, 400),
    ("POST", "/v1/skills/change", {"do": "rollback", "generation": 10**6}, 404),
    ("POST", "/v1/skills/change", {"do": "import", "folder": "/nowhere"}, 400),
    ("POST", "/v1/skills/change", {"do": "export", "folder": "/nowhere", "names": 7}, 400),
    (
        "POST",
        "/v1/skills/change",
        {"do": "add", "name": "a", "description": "d", "body": "\ud800"},
        400,
    ),
    ("POST", "/v1/pause", {"for": "3 weeks"}, 400),
    ("POST", "/v1/pause", {"for": [1]}, 400),
    ("POST", "/v1/pause", {"for": {}}, 400),
    ("POST", "/v1/pause", {"for": None}, 400),
    ("GET", "/v1/windows?from=yesterday", None, 400),
    ("GET", "/v1/windows?from=2026-11-21T20:00:00", None, 400),
    ("GET", "/v1/windows?from=2026-11-21T20:00:00Z&to=2026-11-20T20:00:00Z", None, 400),
    ("GET", "/v1/windows?from=0001-01-01T00:00:00%2B14:00", None, 400),
    ("GET", "/v1/windows?limit=0", None, 400),
    ("GET", "/v1/windows?limit=1001", None, 400),
    ("POST", "/v1/calendars/test", {"location": "/tmp/\ud800.ics"}, 400),
    ("POST", "/v1/calendars/test", {"location": "https://example.org/\ud800"}, 400),
    ("POST", "/v1/calendars/test", {"location": ""}, 400),
    ("POST", "/v1/settings", {"key": "service.port"}, 400),
    ("POST", "/v1/settings", {"key": "service.port", "value": 1}, 400),
    ("POST", "/v1/settings", {"key": "service.nothing", "value": "1"}, 400),
]
"""A request's method, path and body, and the status of what answers it."""


def test_what_is_wrong_comes_back_as_words(
    control: ControlSocket, subtests: pytest.Subtests
) -> None:
    for method, path, body, status in WRONG:
        with subtests.test(method=method, path=path, body=repr(body)[:80]):
            said = control.ask(method, path, body)
            assert said.status == status, said
            assert set(said.json) == {"error"}
            assert said.json["error"]["title"] and said.json["error"]["detail"]
            assert "Error at" not in said.json["error"]["detail"], "a fault of ours"
            if status == 405:
                assert "GET" in said.headers["Allow"]


def test_the_status_has_every_key(control: ControlSocket, shared: RunningLull) -> None:
    status = control.get("/v1/status")
    assert status["running"] is True
    assert status["address"] == shared.address
    assert status["pid"] == shared.process.pid
    assert set(status["upstream"]) >= {"kind", "address", "ok"}
    assert (status["upstream"]["kind"], status["upstream"]["ok"]) == ("builtin", False)
    assert set(status["policy"]) == {"model", "adapter", "adapter_id", "generation"}
    assert status["policy"]["model"] in ("lull-mini", "pocket")  # whom it talked to last
    built_in = {"name": "lull-mini", "ready": False, "progress": None, "problem": ""}
    assert status["built_in"] == built_in == control.get("/v1/models/built-in")
    assert set(status["skills"]) == {"active", "proposals"}
    told = {"state", "because", "because_code", "because_values", "until", "next", "gates", "work"}
    assert set(status["learning"]) == told
    assert status["problems"] == []


def test_the_journal_of_windows_is_read_with_what_was_around_it(control: ControlSocket) -> None:
    page = control.get("/v1/windows?from=2020-01-01T00:00:00+01:00&limit=5")
    assert set(page) == {"from", "to", "windows", "next", "events", "hours", "idle"}
    assert page["from"] == "2019-12-31T23:00:00+00:00"
    assert set(page["hours"]) == {"sleep", "allowed", "blocked"}


def test_a_snapshot_holds_what_the_events_told(control: ControlSocket) -> None:
    name = fresh()
    assert control.change(do="add", name=name, description="d", body="b").status == 200
    snapshot = control.get("/v1/snapshot")
    assert set(snapshot) >= {"seq", "status", "generation", "skills", "conversations", "next"}
    assert name in {skill["name"] for skill in snapshot["skills"]}
    assert snapshot["status"]["policy"]["generation"] == snapshot["generation"]
    with control.events(after=snapshot["seq"]) as events:
        control.change(do="pin", name=name)
        told = up_to_generation(events, snapshot["generation"] + 1)
    assert [event["seq"] for event in told] == [snapshot["seq"] + 1 + at for at in range(len(told))]
    assert (told[-1]["kind"], told[-1]["fields"]) == (
        "generation",
        {"generation": snapshot["generation"] + 1},
    )
    assert len(generations(told)) == 1


def test_a_chat_can_be_read_at_once(control: ControlSocket, shared: RunningLull) -> None:
    """A turn can be read as soon as an event has reported it."""
    with control.events() as events:
        shared.chat("write a menu for apple river", client="reader")
        told = next(event for event in events if event["kind"] == "turn-recorded")
        conversation = control.get(f"/v1/conversations/{told['fields']['conversation']}")
    assert conversation["turns"][-1]["id"] == told["fields"]["turn"]
    assert conversation["client"] == "reader"
    listed = control.get("/v1/conversations?client=reader&limit=1")
    assert listed["conversations"][0]["id"] == conversation["id"]
    assert control.get("/v1/status")["policy"]["model"] == "pocket"


def test_a_conversation_is_kept_out_of_learning_and_let_in_again(
    control: ControlSocket, shared: RunningLull
) -> None:
    shared.chat("write a menu for kept out", client="keeper")
    (row,) = control.get("/v1/conversations?client=keeper")["conversations"]
    path = f"/v1/conversations/{row['id']}/exclude"
    kept = control.ask("POST", path, {"excluded": True}).json
    assert kept["excluded"] is True
    assert kept["turns"][-1]["why_not"] == "you keep its conversation out of learning"
    found = control.get("/v1/conversations?excluded=yes&client=keeper")["conversations"]
    assert [one["title"] for one in found] == ["write a menu for kept out"]
    assert control.ask("POST", path, {"excluded": False}).json["excluded"] is False
    assert control.get("/v1/conversations?excluded=yes&client=keeper")["conversations"] == []
    assert "keeper" in control.get("/v1/conversation-kinds")["clients"]


def test_a_watcher_that_was_away_misses_nothing(control: ControlSocket) -> None:
    name = fresh()
    control.change(do="add", name=name, description="d", body="b")
    with control.events() as events:
        pinned = control.change(do="pin", name=name).json["generation"]
        seen = only(events, "generation")["seq"]
    for action in ("unpin", "disable", "enable"):
        control.change(do=action, name=name)
    with control.events(after=seen) as events:
        missed = up_to_generation(events, pinned + 3)
    assert [event["seq"] for event in missed] == [seen + 1 + at for at in range(len(missed))]
    assert generations(missed) == [pinned + 1, pinned + 2, pinned + 3]


def test_two_edits_at_once_leave_one_text_and_no_gap(control: ControlSocket) -> None:
    name = fresh()
    control.change(do="add", name=name, description="d", body="the first")
    said: list[Said] = []
    start = threading.Barrier(6)

    def edit(number: int) -> None:
        start.wait()
        said.append(control.change(do="edit", name=name, body=f"text {number}"))

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.status for one in said} <= {200, 409}
    won = [one.json["skill"] for one in said if one.status == 200]
    assert won
    for lost in (one.json["error"] for one in said if one.status == 409):
        assert lost["title"] == "Conflict"
    history = control.get(f"/v1/skills/history?name={name}")["history"]
    assert [row["version"] for row in history] == list(range(len(won) + 1, 0, -1))
    assert history[0]["sha256"] in {skill["sha256"] for skill in won}


def test_a_watcher_that_never_reads_costs_the_others_nothing(
    control: ControlSocket, shared: RunningLull
) -> None:
    with control.events(), control.events() as events:
        for _ in range(3):
            shared.chat("list: apple", client="other")
        assert only(events, "turn-recorded")


def test_events_go_on_behind_a_restart(lull: Lull, alone: ControlSocket) -> None:
    first = lull.serve()
    alone.change(do="add", name="menu-style", description="d", body="b")
    seen = alone.get("/v1/snapshot")["seq"]
    alone.change(do="pin", name="menu-style")
    alone.change(do="unpin", name="menu-style")
    assert first.stop() == 0
    lull.serve()
    with alone.events(after=seen) as events:
        missed = up_to_generation(events, 3)
        assert [event["seq"] for event in missed] == [seen + 1 + at for at in range(len(missed))]
        assert generations(missed) == [2, 3]
        alone.change(do="delete", name="menu-style")
        following = next(event for event in events if event["kind"] == "generation")
    assert following["seq"] > missed[-1]["seq"]
    with alone.events(after=10**12) as events:
        alone.change(do="add", name="menu-style", description="d", body="b2")
        following = next(event for event in events if event["kind"] == "generation")
        assert following["fields"] == {"generation": 5}, "a number from the future: from now on"


def test_a_stop_ends_the_watches_and_takes_no_time(lull: Lull, alone: ControlSocket) -> None:
    running = lull.serve()
    with alone.events() as events:
        assert alone.ask("POST", "/v1/stop", {}).json["stopping"] is True
        assert all(event["kind"] != "stopped" for event in events), "the stream ends by itself"
    assert running.process.wait(PATIENCE_S) == 0
    assert not Path(lull.home / "service.json").exists()
    assert eventually(lambda: lull.run("status").code == 3)
