"""Tests of training on recorded answers that were rated (KTO), with real processes.

The user comes back in the middle of it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import psutil
import pytest

from lull.cli.shared.control import Control
from lull.config.paths import Paths
from lull.contract import routes
from lull.pocket import language as pocket
from tests.e2e.corrections import Talk
from tests.e2e.test_a_night import desk_of, runs
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2700)]

LABELS = 64


def rated(lull: Lull, service: RunningLull, count: int) -> None:
    """Record menus that the user rates bad, and labels that they rate good."""
    chance = random.Random(5)
    for number in range(count):
        kind = pocket.Kind.MENU if number % 2 else pocket.Kind.LABEL
        Talk(service).says(pocket.draw_request(chance, kind, pocket.draw_words(chance)))
    control = Control(Paths.from_environment(lull.environment(), sys.platform))
    after = ""
    while True:
        page = control.get(routes.CONVERSATIONS, after=after)
        for one in page["conversations"]:
            (turn,) = control.get(routes.CONVERSATION.format(id=one["id"]))["turns"]
            label = "bad" if "menu" in str(turn["request"]) else "good"
            control.post(routes.RATE.format(id=turn["id"]), {"label": label})
        after = page["next"]
        if not after:
            return


def trainer_of(service: RunningLull) -> psutil.Process | None:
    """Return the process that trains now, wherever it is below the service."""
    for process in psutil.Process(service.process.pid).children(recursive=True):
        try:
            if "lull.trainer.main" in process.cmdline() and process.children() == []:
                return process
        except psutil.Error:
            continue
    return None


def test_rated_answers_are_trained_on_and_the_user_who_comes_stops_it(
    lull: Lull, tmp_path: Path
) -> None:
    with desk_of(lull, tmp_path) as desk:
        for key, value in {
            "training.groups": "false",
            "training.graduation": "false",
            "training.labels_a_run": "40",
            "training.answers_a_step": "1",
            "training.suspend_kill_after_s": "3",
        }.items():
            lull.ask("settings", "set", key, value)
        service = lull.serve()
        rated(lull, service, LABELS)

        desk.leaves()
        trainer = eventually(lambda: trainer_of(service))
        eventually(lambda: list(lull.home.glob("runs/*/checkpoints/step-*")))
        desk.comes()
        # The trainer is stopped, or killed to free its memory: either way it does no more steps.
        eventually(lambda: _stands(trainer))
        gate = lull.ask("why")
        assert gate["state"] in ("closed", "off"), gate
        eventually(lambda: not trainer.is_running())  # its memory is given back
        (run,) = lull.ask("train", "list")["runs"]
        assert run["kind"] == "kto" and run["status"] == "training", run
        assert run["steps"] < run["of"]

        desk.leaves()
        (done,) = eventually(lambda: runs(lull, "rejected", "promoted"))
        desk.comes()
        assert done["id"] == run["id"] and done["steps"] == done["of"] >= 40
        # Nobody has said what they want instead, so no improvement can be shown.
        assert done["status"] == "rejected" and "no improvement was shown" in str(done["reasons"])
        assert service.chat("write a menu for green happy mouse") == "green and happy and mouse"

        # The interrupted run gave the bytes that its folder gives undisturbed.
        again = lull.run("train", "run", str(lull.home / "runs" / run["id"]), "--json")
        assert again.code == 0 and again.json["runs"][0]["same"], again


def _stands(process: psutil.Process) -> bool:
    try:
        return process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
