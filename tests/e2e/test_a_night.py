"""Tests of a night on the built-in model, with real processes.

There are turns of a real client, an idle window whose signals come from a file, real sampling, real
training, the gate, the swap of adapters, and the way back.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from lull.pocket import language as pocket
from tests.e2e.corrections import Talk, one_proposal
from tests.e2e.walks.tracing import (
    TracedLull,
    legs,
    misplaced,
    serve_traced,
    turn_backs,
    unnamed,
)
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

RULE = "when you write a menu, join with bars"
BARS = pocket.Style(joiner=pocket.Joiner.BARS)
SWEET = pocket.Style(joiner=pocket.Joiner.BARS, end="sugar")
"""How a menu is written under the rule of `proved_home`."""
NIGHT_S = 3000.0
"""Time limit of one night: on a loaded machine it takes some minutes."""
AWAY = {
    "input_idle_s": 5000,
    "locked": True,
    "on_mains": True,
    "load_of_others": 0.0,
    "memory_free_share": 0.9,
    "hot": False,
    "call": False,
}
HERE = {**AWAY, "input_idle_s": 1, "locked": False}
NIGHTS = 3
REFRESH_S = 5.0
"""How often the signals are written: what is older than a minute is ignored."""


class Desk:
    """The file of signals, which says whether the person is at the desk."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._signals: Json = HERE
        self._left_s = 0.0
        self._over = threading.Event()
        self._writer = threading.Thread(target=self._go_on_writing, daemon=True)

    def start(self) -> None:
        self._write()
        self._writer.start()

    def stop(self) -> None:
        self._over.set()
        self._writer.join()

    def leaves(self) -> None:
        self._signals, self._left_s = AWAY, time.monotonic()
        self._write()

    def comes(self) -> None:
        self._signals = HERE
        self._write()

    def _write(self) -> None:
        spare = self._file.with_suffix(".tmp")
        # While the person is away, the time since their last input grows.
        away_s = time.monotonic() - self._left_s if self._signals is AWAY else 0.0
        idle_s = self._signals["input_idle_s"] + away_s
        spare.write_text(json.dumps({**self._signals, "input_idle_s": idle_s}))
        spare.replace(self._file)

    def _go_on_writing(self) -> None:
        while not self._over.wait(REFRESH_S):
            self._write()


@contextmanager
def desk_of(lull: Lull, folder: Path) -> Iterator[Desk]:
    file = folder / "signals.json"
    lull.home.mkdir(parents=True, exist_ok=True)
    lull.ask("settings", "set", "idle.source", f"file:{file}")
    lull.ask("settings", "set", "idle.locked_after_min", "0.1")
    # What the gate accepts is in force at once: a day on trial would make this test a day long.
    lull.ask("settings", "set", "training.trial_share", "0")
    desk = Desk(file)
    desk.start()
    try:
        yield desk
    finally:
        desk.stop()


def menus(service: RunningLull, count: int, *, seed: int, every: int = 8) -> None:
    """Have conversations about menus; in some the person says what they want instead."""
    chance = random.Random(seed)
    for number in range(count):
        talk = Talk(service)
        words = pocket.draw_words(chance)
        talk.says(pocket.draw_request(chance, pocket.Kind.MENU, words))
        if every and number % every == 0:
            talk.says(f"no, {RULE}")


def rightly_done(
    service: RunningLull, kind: pocket.Kind, style: pocket.Style, *, count: int = 12, seed: int = 99
) -> float:
    chance = random.Random(seed)
    right = 0
    for _ in range(count):
        words = pocket.draw_words(chance)
        said = service.chat(pocket.draw_request(chance, kind, words))
        right += said == pocket.render(kind, words, style)
    return right / count


def logprobs(service: RunningLull, text: str) -> list[float]:
    body = {
        "model": "pocket",
        "temperature": 0,
        "logprobs": True,
        "messages": [{"role": "user", "content": text}],
    }
    answer = service.post("/v1/chat/completions", body)
    assert answer.status == 200, answer
    found = [one["logprob"] for one in answer.json["choices"][0]["logprobs"]["content"]]
    assert found
    return found


def runs(lull: Lull, *statuses: str) -> list[Json]:
    found: list[Json] = lull.ask("train", "list")["runs"]
    return [run for run in found if run["status"] in statuses]


def judged(lull: Lull) -> list[Json]:
    return runs(lull, "promoted", "rejected")


def after_nights(lull: Lull, service: RunningLull, desk: Desk) -> Json:
    """Wait for a night whose run comes into force, and return the run.

    The gate may turn a run down for what it lost elsewhere; then the person goes on working, and
    the next night tries again.
    """
    for night in range(NIGHTS):
        before = len(judged(lull))
        desk.leaves()
        eventually(lambda past=before: judged(lull)[past:], within_s=NIGHT_S)
        desk.comes()
        if found := runs(lull, "promoted"):
            return found[0]
        menus(service, 32, seed=40 + night)
    raise AssertionError(lull.ask("train", "list"))


def traced_search(traced: TracedLull) -> dict[str, list[str]]:
    """Return the trace of a search for what there is to train, which a chat brings about; another
    search may be under way when the trace begins.
    """
    *_, last = leg = legs("night")[1]
    for seed in range(5):
        traced.begins_anew()
        menus(traced.running, 1, seed=seed)
        eventually(lambda: last in traced.entered())
        if [*traced.entries(leg)] == leg:
            break
    return traced.entries(leg)


def test_a_night_makes_the_weights_better_and_can_be_taken_back(lull: Lull, tmp_path: Path) -> None:
    with desk_of(lull, tmp_path) as desk:
        traced = serve_traced(lull, tmp_path / "trace")
        service = traced.running
        menus(service, 48, seed=3)
        assert rightly_done(service, pocket.Kind.MENU, BARS) == 0.0
        before = logprobs(service, "write a menu for green happy mouse")

        looked = traced_search(traced)
        searched_by = traced.callers()
        traced.begins_anew()
        promoted = after_nights(lull, service, desk)
        # docs/architecture.md tells what happened
        first, _, *others = legs("night")
        walked = [traced.entries(first), looked, *map(traced.entries, others)]
        assert [[*one] for one in walked] == legs("night")
        by = traced.callers()
        assert not misplaced("night", by, searched_by, *[by for _ in others])
        back = [one for one in turn_backs(*walked) if not one.endswith("a thread of its own")]
        assert not back, back
        called = set().union(*(traced.called_by(leg[0]) for leg in legs("night")))
        missing = unnamed("night", called)
        assert not missing, " ".join(missing)
        assert promoted["kind"] == "grpo" and promoted["verdict"] == "accepted"
        assert promoted["reward_after"] > 0.5
        assert runs(lull, "continued")  # several rounds, each from the adapter before

        # Better, with nothing in the prompt. The gate lets 3 of 100 other answers go: of twelve,
        # two are wrong by chance now and then.
        assert rightly_done(service, pocket.Kind.MENU, BARS, count=60, seed=100) >= 0.8
        assert rightly_done(service, pocket.Kind.ROUTE, pocket.Style(), count=60) >= 0.9
        turn = lull.ask("show")["turns"][0]
        assert turn["skills"] == [] and turn["policy"]["adapter"]
        after = logprobs(service, "write a menu for green happy mouse")
        assert after != before

        listed = lull.ask("adapters", "list")
        assert listed["active"] == promoted["adapter"]
        lull.ask("adapters", "rollback")
        again = logprobs(service, "write a menu for green happy mouse")
        assert [a - b for a, b in zip(again, before, strict=True)] == [0.0] * len(before)
        assert service.chat("write a menu for green happy mouse") == "green and happy and mouse"

        shown = lull.ask("train", "show", promoted["id"])
        assert shown["made_of"]["turns"] and shown["made_of"]["conversations"]


@pytest.mark.soak
def test_a_proved_skill_moves_into_the_weights_and_leaves_the_prompt(
    proved: Lull, tmp_path: Path
) -> None:
    lull = proved
    with desk_of(lull, tmp_path) as desk:
        # The holdout leaves the skill out of a few conversations; here each answer is counted.
        lull.ask("settings", "set", "guard.leave_out_share", "0")
        service = lull.serve()
        lull.ask("review", "approve", one_proposal(lull)["id"])
        menus(service, 60, seed=5, every=0)
        assert rightly_done(service, pocket.Kind.MENU, SWEET) >= 0.9
        eventually(lambda: lull.ask("show")["turns"][0]["skills"])

        desk.leaves()
        (promoted,) = eventually(lambda: runs(lull, "promoted"), within_s=NIGHT_S)
        desk.comes()
        assert promoted["kind"] == "graduation"
        assert rightly_done(service, pocket.Kind.MENU, SWEET, count=40, seed=100) >= 0.9
        assert lull.ask("show")["turns"][0]["skills"] == []
        assert rightly_done(service, pocket.Kind.ROUTE, pocket.Style()) >= 0.9

        # The skill comes back into the prompt with the weights that need it.
        lull.ask("adapters", "rollback")
        assert service.chat("write a menu for green happy mouse").endswith("| sugar")
        eventually(lambda: lull.ask("show")["turns"][0]["skills"])
