"""Tests that the walks of docs/architecture.md are those of a real service: its trace says so.

Work that goes on beside a walk may enter a file of it too early; then the walk is walked once more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.scripted.obedient_model import MODEL, TEN, ObedientOllama
from tests.e2e.test_a_night import desk_of
from tests.e2e.test_plain_language import says
from tests.e2e.walks.tracing import (
    legs,
    misplaced,
    serve_traced,
    turn_backs,
    turn_backs_told,
    unnamed,
)
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
TRIES = 4


@pytest.fixture
def lull(tmp_path: Path) -> Iterator[Lull]:
    with (
        ObedientOllama() as models,
        RunningLull.cleaned_up(tmp_path / "home", upstream=models.address) as made,
    ):
        yield made


def test_one_request(lull: Lull, tmp_path: Path) -> None:
    service = serve_traced(lull, tmp_path / "trace")
    rule = "when you write a menu, begin with the soup"
    lull.ask("skills", "add", "soup", "--description", "When a menu is asked for", "--body", rule)
    (leg,) = legs("request")
    for number in range(TRIES):
        eventually(lambda past=number: stored(lull, "SELECT count(*) FROM turns") == past)
        service.begins_anew()
        said = [{"role": "user", "content": f"write a menu for day {number}"}]
        service.running.post("/api/chat", {"model": MODEL, "stream": True, "messages": said})
        eventually(lambda: "store/chat/recording" in service.entered())
        walked, wrong = service.entries(leg), misplaced("request", service.callers())
        if [*walked] == leg and not wrong:
            break
    assert [*walked] == leg and not wrong, wrong
    assert len(turn_backs(walked)) == turn_backs_told("request"), turn_backs(walked)
    missing = unnamed("request", service.called_by("service/proxy/data_plane"))
    assert not missing, " ".join(missing)


def test_one_correction(lull: Lull, tmp_path: Path) -> None:
    *said, in_a_lull, decided = legs("correction")
    with desk_of(lull, tmp_path) as desk:
        service = serve_traced(lull, tmp_path / "trace")
        eventually(lambda: "core/skills/failures" in service.entered())  # the start is over
        for number, wish in enumerate([TEN[0], TEN[5], TEN[8]]):
            service.begins_anew()
            says(service.running, f"p{number}", wish.asked, wish.said)
            made = eventually(lambda past=number: ids(lull)[past:])[0]
            walked = [service.entries(leg) for leg in said]
            by = [service.callers()] * len(said)
            called = set().union(*(service.called_by(leg[0]) for leg in said))
            service.begins_anew()
            desk.leaves()
            status = f"SELECT status FROM proposals WHERE id = '{made}'"
            eventually(lambda ask=status: stored(lull, ask) == "proved")
            walked.append(service.entries(in_a_lull))
            by.append(service.callers())
            called |= service.called_by(in_a_lull[0])
            desk.comes()
            sha256 = stored(lull, f"SELECT sha256 FROM proposals WHERE id = '{made}'")
            service.begins_anew()
            lull.ask("review", "approve", made, "--sha256", str(sha256))
            walked.append(service.entries(decided))
            by.append(service.callers())
            called |= service.called_by(decided[0])
            wrong = misplaced("correction", *by)
            if [[*one] for one in walked] == legs("correction") and not wrong:
                break
    assert [[*one] for one in walked] == legs("correction") and not wrong, wrong
    assert len(turn_backs(*walked)) == turn_backs_told("correction"), turn_backs(*walked)
    missing = unnamed("correction", called)
    assert not missing, " ".join(missing)


def ids(lull: Lull) -> list[str]:
    found = stored(lull, "SELECT group_concat(id) FROM (SELECT id FROM proposals ORDER BY id)")
    return str(found).split(",") if found else []


def stored(lull: Lull, query: str) -> object:
    """Return the first value; read beside the service, whose trace is looked at."""
    with closing(sqlite3.connect(lull.home / "lull.db", timeout=60)) as connection:
        row = connection.execute(query).fetchone()
    return row and row[0]
