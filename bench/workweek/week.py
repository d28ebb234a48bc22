"""Plays one stretch of an arm's week with one person against a real service process.

Real are the proxy, the record, the proofs, the decisions over the control API and the training by
the real trainer. Simulated are the person, the judge and the calendar: a day is over when its
requests are, and the night is begun by hand, because when a lull begins is another bench's subject.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from bench.workweek import judge as judging
from bench.workweek.arms import Stretch, Trains
from bench.workweek.person import FREE, Person, Request, person
from lull.cli.control import Control
from lull.config.paths import Paths
from lull.contract import routes
from lull.core.training.record import RunStatus
from lull.pocket import language as pocket

Json = dict[str, Any]
REVIEWS: Final = (2, 3, 6, 7, 9)
"""Days on whose mornings the person reviews proposals; on the others they are too busy."""
SETTINGS: Final = {
    # What waits for hours in the product would wait for ever in a week that takes a minute.
    "training.trial_share": "0",
    "learning.quiet_s": "0",
    # Ten days bring fewer requests than weeks do, and of these some would get other skills by then.
    "training.graduation_prompts": "10",
    # A real night is eight hours long; this one has its sampling cut.
    "training.rounds": "1",
    "training.rollouts_a_prompt": "1",
    "training.single_answers": "false",
}
RUNS_A_NIGHT: Final = 1
"""Number of finished training runs after which a night ends."""
DECIDED: Final = frozenset((RunStatus.PROMOTED, RunStatus.REJECTED, RunStatus.FAILED))
PARALLEL_REQUESTS: Final = 6
"""Requests that the person's programs send in parallel; the engine answers them together."""
POLL_S: Final = 0.2
PATIENCE_S: Final = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One request and its outcome."""

    day: int
    number: int
    client: str
    kind: str
    right: bool
    prompt_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    arm: str
    seed: int
    done: tuple[Done, ...]
    approved: int
    runs: Mapping[str, int]
    """Number of training runs by outcome."""
    judged: int
    asking_s: float
    proving_s: float
    training_s: float

    @property
    def days(self) -> int:
        return self.done[-1].day

    def then(self, later: Played) -> Played:
        """Join this stretch's results with those of the week's next stretch. Training runs are
        taken from the later one, whose folder holds both stretches' runs.
        """
        return replace(
            later,
            done=self.done + later.done,
            approved=self.approved + later.approved,
            judged=self.judged + later.judged,
            asking_s=self.asking_s + later.asking_s,
            proving_s=self.proving_s + later.proving_s,
            training_s=self.training_s + later.training_s,
        )

    def named(self, arm: str) -> Played:
        return replace(self, arm=arm)


def play(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    """Play the stretch in `home`, which is empty before the first stretch of a week."""
    someone = person(seed)
    judge = judging.Judge(someone)
    with (
        judging.serving(judge) if stretch.judge else nullcontext("") as address,
        service(home, stretch, judge=address) as (port, control),
    ):
        week = _Week(stretch, someone, judge, port, control)
        if stretch.night is not Trains.NOTHING:
            judge.day = stretch.first - 1
            week.night()
        for day in range(stretch.first, stretch.last + 1):
            week.day(day)
        return week.played(arm, seed)


class _Week:
    def __init__(
        self, stretch: Stretch, someone: Person, judge: judging.Judge, port: int, control: Control
    ) -> None:
        self._arm = stretch
        self._person = someone
        self._judge = judge
        self._port = port
        self._control = control
        self._done: list[Done] = []
        self._approved = 0
        self._spent_s = {"asking": 0.0, "proving": 0.0, "training": 0.0}

    def night(self) -> None:
        """Until as many runs as a night has room for have their verdict, or nothing is left."""
        with self._timed("training"), ThreadPoolExecutor(1) as aside:
            before = self._decided()
            waiting = aside.submit(
                self._control.post, routes.TRAIN_NOW, {"wait": True}, patience_s=PATIENCE_S
            )
            while not waiting.done() and self._decided() - before < RUNS_A_NIGHT:
                time.sleep(POLL_S)
            # The morning: what is under way ends, and the wait with it.
            self._control.post(routes.SETTINGS, {"key": "training.enabled", "value": "false"})
            waiting.result()

    def _decided(self) -> int:
        runs = self._control.get(routes.TRAIN)["runs"]
        return sum(run["status"] in DECIDED for run in runs)

    def day(self, day: int) -> None:
        self._judge.day = day
        if self._arm.skills and day in REVIEWS:
            self._reviews()
        with self._timed("asking"):
            self._works(day)
        # What is proved on other evenings would be looked at no sooner.
        if self._arm.skills and day + 1 in REVIEWS:
            with self._timed("proving"):
                self._lull_proves()

    def played(self, arm: str, seed: int) -> Played:
        runs: dict[str, int] = {}
        for run in self._control.get(routes.TRAIN)["runs"]:
            if run["status"] in DECIDED:
                key = f"{run['kind']} {run['status']}"
                runs[key] = runs.get(key, 0) + 1
        return Played(
            arm=arm,
            seed=seed,
            done=tuple(self._done),
            approved=self._approved,
            runs=runs,
            judged=self._judge.asked,
            asking_s=self._spent_s["asking"],
            proving_s=self._spent_s["proving"],
            training_s=self._spent_s["training"],
        )

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self._spent_s[what] += time.monotonic() - began_s

    # What the person does

    def _works(self, day: int) -> None:
        """Play a day's requests; wrong answers of a kind are corrected once a day."""
        told: set[tuple[str, str]] = set()
        requests = self._person.day(day)
        with ThreadPoolExecutor(PARALLEL_REQUESTS) as programs:
            for some in range(0, len(requests), PARALLEL_REQUESTS):
                asked = requests[some : some + PARALLEL_REQUESTS]
                for request, answer in zip(asked, programs.map(self._asks, asked), strict=True):
                    self._gets(request, *answer, told)

    def _gets(self, request: Request, answer: str, tokens: int, told: set[tuple[str, str]]) -> None:
        right = answer == self._person.wants(request)
        self._done.append(
            Done(
                day=request.day,
                number=request.number,
                client=request.client,
                kind=request.kind,
                right=right,
                prompt_tokens=tokens,
            )
        )
        if right or (request.client, request.kind) in told:
            return
        said = self._person.corrects(request)
        if said is not None:
            self._asks(request, answer, said.text)
            if not said.slip:
                told.add((request.client, request.kind))

    def _asks(self, request: Request, *more: str) -> tuple[str, int]:
        """Send a request; return the answer and the prompt's token count as the model read it."""
        roles = ("user", "assistant", "user")
        messages = [
            {"role": role, "content": text}
            for role, text in zip(roles, (request.text, *more), strict=False)
        ]
        path = f"/c/{request.client}/api/chat" if request.client else "/api/chat"
        body = {
            "model": "pocket",
            "stream": False,
            "options": {"temperature": 0},
            "messages": messages,
        }
        said = _post(self._port, path, body)
        return str(said["message"]["content"]), int(said["prompt_eval_count"])

    def _reviews(self) -> None:
        """Review the proposals: reject those from slips of the tongue, and approve what is proved,
        or everything in an arm without proofs.
        """
        for proposal in self._control.get(routes.PROPOSALS)["proposals"]:
            rule = pocket.parse_rule(proposal["body"])
            if rule is not None and rule[0] is FREE:
                self._decides(proposal, "reject", reason="That was a slip of the tongue.")
            elif proposal["status"] == "proved" or not self._arm.proofs:
                self._decides(proposal, "approve")
                self._approved += 1

    def _decides(self, proposal: Json, action: str, **more: str) -> None:
        path = routes.PROPOSAL_DO.format(id=quote(proposal["id"], safe=""), action=action)
        self._control.post(path, {"sha256": proposal["sha256"], **more})

    def _lull_proves(self) -> None:
        if self._arm.proofs:
            self._control.post(routes.PROPOSALS_PROVE, {"wait": True}, patience_s=PATIENCE_S)


def _post(port: int, path: str, body: Json) -> Json:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        headers = {"Content-Type": "application/json", "User-Agent": "workweek/1"}
        connection.request("POST", path, json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        said: Json = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {said}")
        return said
    finally:
        connection.close()


# The service


@contextmanager
def service(home: Path, stretch: Stretch, *, judge: str) -> Iterator[tuple[int, Control]]:
    paths = Paths.from_environment({"LULL_HOME": str(home)}, sys.platform)
    # Nobody listens there: the built-in model alone answers.
    env = {**os.environ, "LULL_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:9"}
    wanted = {
        **SETTINGS,
        "training.enabled": _toml(stretch.night is not Trains.NOTHING),
        "training.graduation": _toml(stretch.night is Trains.SKILLS),
        "training.groups": _toml(stretch.night is Trains.GROUPS),
    }
    if not stretch.kl:
        wanted["training.kl_beta"] = "0"
    if judge:
        wanted |= {"judge.model": f'"{judging.MODEL}"', "judge.address": f'"{judge}"'}
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(_settings_file(wanted))
    module = "lull.cli.main" if stretch.separation else "bench.workweek.without_separation"
    process = subprocess.Popen(
        [sys.executable, "-m", module, "serve", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the service of {stretch} did not start")
        yield int(json.loads(line)["address"].rsplit(":", 1)[1]), Control(paths)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stdout.close()


def _toml(on: bool) -> str:
    return "true" if on else "false"


def _settings_file(wanted: Mapping[str, str]) -> str:
    """Return settings as TOML, with one table per group."""
    groups: dict[str, list[str]] = {}
    for name, value in wanted.items():
        group, _, key = name.partition(".")
        groups.setdefault(group, []).append(f"{key} = {value}")
    return "\n".join(f"[{group}]\n" + "\n".join(lines) for group, lines in groups.items()) + "\n"
