"""Plays one stretch of an arm's week with one person against a real service process.

Real are the proxy, the record, the proofs, the decisions over the control API and the training by
the real trainer. Simulated are the person, the judge and the calendar: a day is over when its
requests are and what was said has been read, in every arm, and the night is begun by hand, because
when a lull begins is another bench's subject.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bench.json_object import Json
from bench.workweek import judge as judging
from bench.workweek import reading
from bench.workweek.arms import Pasted, Stretch, Trains
from bench.workweek.notes import Notes
from bench.workweek.person import BEN, FREE, RATED, Fault, Person, Request, person
from bench.workweek.service import database, service
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.core.training.lesson import MOST_TRIES
from lull.core.training.record import RunStatus
from lull.pocket import parsing

REVIEWS: Final = (1, 2, 4, 6, 8)
"""Days on whose evenings the person reviews proposals; on the others they are too busy."""
AGAIN: Final = 2
"""How often the person asks again, at temperature 1, where an answer of a kind that is only rated
was wrong: an answer as they want it must have been sampled before it can be rated.
"""
RUNS_A_NIGHT: Final = 2 * MOST_TRIES + 2
"""Number of finished training runs after which a night ends: two skills' tries, and what is trained
on ratings and on groups, which comes after them.
"""
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
class Reviewed:
    """What came of one proposal."""

    proposal: str
    fault: Fault
    approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    arm: str
    seed: int
    done: tuple[Done, ...]
    reviewed: tuple[Reviewed, ...]
    """Each proposal once, as it was when it was last looked at."""
    runs: Mapping[str, int]
    """Number of training runs by kind and outcome."""
    judged: int
    asking_s: float
    proving_s: float
    training_s: float

    @property
    def days(self) -> int:
        return self.done[-1].day

    @property
    def approved(self) -> int:
        return sum(one.approved for one in self.reviewed)

    def then(self, later: Played) -> Played:
        """Join this stretch's results with those of the week's next stretch. Training runs are
        taken from the later one, whose folder holds both stretches' runs.
        """
        return replace(
            later,
            done=self.done + later.done,
            reviewed=_newest((*self.reviewed, *later.reviewed)),
            judged=self.judged + later.judged,
            asking_s=self.asking_s + later.asking_s,
            proving_s=self.proving_s + later.proving_s,
            training_s=self.training_s + later.training_s,
        )

    def named(self, arm: str) -> Played:
        return replace(self, arm=arm)


def _newest(reviewed: tuple[Reviewed, ...]) -> tuple[Reviewed, ...]:
    """Return each proposal once: approved if it ever was, or else as last seen."""
    found: dict[str, Reviewed] = {}
    for one in reviewed:
        if not (one.proposal in found and found[one.proposal].approved):
            found[one.proposal] = one
    return tuple(found.values())


def play(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    """Play the stretch in `home`, which is empty before the first stretch of a week."""
    someone = person(seed)
    judge = judging.Judge(someone)
    with (
        judging.serving(judge) if stretch.judge else nullcontext("") as address,
        service(home, stretch, judge=address) as (port, control),
    ):
        week = _Week(stretch, someone, judge, port, control, database(home))
        if stretch.night is not Trains.NOTHING:
            judge.day = stretch.first - 1
            week.night()
        for day in range(stretch.first, stretch.last + 1):
            week.day(day)
        return week.played(arm, seed)


class _Week:
    def __init__(
        self,
        stretch: Stretch,
        someone: Person,
        judge: judging.Judge,
        port: int,
        control: Control,
        store: Path,
    ) -> None:
        self._arm = stretch
        self._person = someone
        self._judge = judge
        self._port = port
        self._control = control
        self._store = store
        self._notes = Notes(someone, stretch.pasted)
        self._said = reading.recorded(store)
        """Number of exchanges that must be stored before the next day."""
        self._rated = next(iter(reading.turns_after(store, "")[::-1]), "")
        """The last exchange that was looked at for a rating."""
        self._counting = threading.Lock()
        self._done: list[Done] = []
        self._reviewed: list[Reviewed] = []
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
        with self._timed("asking"):
            self._works(day)
            self._rates(day)
            reading.wait_until_read(self._store, self._said, patience_s=PATIENCE_S)
        # What is proved on other evenings would be looked at no sooner.
        if self._arm.skills and day in REVIEWS:
            with self._timed("proving"):
                self._lull_writes_and_proves()
                self._reviews(day)
        if day in REVIEWS or self._arm.pasted is Pasted.EVERYTHING:
            self._notes.paste()

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
            reviewed=_newest(tuple(self._reviewed)),
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
        alone = self._arm.alone
        requests = [r for r in self._person.day(day) if not (alone and r.client == BEN)]
        with ThreadPoolExecutor(PARALLEL_REQUESTS) as programs:
            for some in range(0, len(requests), PARALLEL_REQUESTS):
                asked = requests[some : some + PARALLEL_REQUESTS]
                for request, answer in zip(asked, programs.map(self._asks, asked), strict=True):
                    self._gets(request, *answer, told)
            if self._arm.skills:
                list(programs.map(self._asks_again, self._wrong_and_only_rated(requests)))

    def _wrong_and_only_rated(self, requests: list[Request]) -> list[tuple[Request, int]]:
        day = requests[0].day
        wrong = {one.number for one in self._done if one.day == day and not one.right}
        return [
            (request, number)
            for request in requests
            if request.kind in RATED and request.number in wrong
            for number in range(1, AGAIN + 1)
        ]

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
        said = self._person.corrects(request, careless=self._arm.careless)
        if said is not None:
            self._asks(request, answer, said.text)
            self._notes.said(request, said)
            if said.fault is not Fault.SLIP:
                told.add((request.client, request.kind))

    def _asks(self, request: Request, *more: str) -> tuple[str, int]:
        return self._sends(request, {"temperature": 0}, *more)

    def _asks_again(self, which: tuple[Request, int]) -> tuple[str, int]:
        request, number = which
        seed = 10_000 * request.day + 10 * request.number + number
        return self._sends(request, {"temperature": 1, "seed": seed})

    def _sends(self, request: Request, options: Json, *more: str) -> tuple[str, int]:
        """Send a request; return the answer and the prompt's token count as the model read it."""
        roles = ("user", "assistant", "user")
        messages = [
            {"role": role, "content": text}
            for role, text in zip(roles, (request.text, *more), strict=False)
        ]
        if system := self._notes.system(request):
            messages.insert(0, {"role": "system", "content": system})
        path = f"/c/{request.client}/api/chat" if request.client else "/api/chat"
        body = {"model": "pocket", "stream": False, "options": options, "messages": messages}
        said = _post(self._port, path, body)
        with self._counting:
            self._said += 1
        return str(said["message"]["content"]), int(said["prompt_eval_count"])

    def _rates(self, day: int) -> None:
        """Rate the day's answers; each rating also has Lull read all that is stored by then."""
        reading.wait_until_recorded(self._store, self._said, patience_s=PATIENCE_S)
        asked = {request.text: request for request in self._person.day(day)}
        for turn in reading.turns_after(self._store, self._rated):
            self._rated = turn
            seen = self._control.get(routes.TURN.format(id=quote(turn, safe="")))
            request = asked.get(seen["request"])
            if request is None:  # a correction
                continue
            right = seen["answer"] == self._person.wants(request)
            if self._person.rates(request, right=right):
                path = routes.RATE.format(id=quote(turn, safe=""))
                self._control.post(path, {"label": "good" if right else "bad"})

    def _reviews(self, day: int) -> None:
        """Review the proposals: reject those from slips of the tongue, and approve what is proved,
        or everything in an arm without proofs. A careless person rejects nothing.
        """
        for proposal in self._control.get(routes.PROPOSALS)["proposals"]:
            rule = parsing.parse_rule(proposal["body"])
            approved = proposal["status"] == "proved" or not self._arm.proofs
            if not self._arm.careless and rule is not None and rule[0] is FREE:
                approved = False
                self._decides(proposal, "reject", reason="That was a slip of the tongue.")
            elif approved:
                self._decides(proposal, "approve")
            fault = self._person.fault_of(proposal["client"], proposal["body"], day)
            self._reviewed.append(Reviewed(proposal=proposal["id"], fault=fault, approved=approved))

    def _decides(self, proposal: Json, action: str, **more: str) -> None:
        path = routes.PROPOSAL_DO.format(id=quote(proposal["id"], safe=""), action=action)
        self._control.post(path, {"sha256": proposal["sha256"], **more})

    def _lull_writes_and_proves(self) -> None:
        """Have Lull write what it was told; it proves that, too, and only where proofs count is
        waited for them.
        """
        wanted = {"wait": self._arm.proofs}
        self._control.post(routes.PROPOSALS_PROVE, wanted, patience_s=PATIENCE_S)


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
