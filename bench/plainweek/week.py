"""Plays one stretch of an arm's plain week with one person against a real service process.

Real are the proxy, the reader, the record, the proofs, the decisions over the control API, the
training by the real trainer and the model that ships with Lull. Simulated are the person and the
calendar: a day is over when its requests are and what was said has been read, in every arm, and
the night is begun by hand.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bench.json_object import Json
from bench.plainweek.notes import Notes
from bench.plainweek.people import DAYS, HOME, RATED, Person, Request, Said, person
from bench.workweek import reading
from bench.workweek.arms import Stretch, Trains
from bench.workweek.service import database, service
from bench.workweek.week import DECIDED, Done, Played, Reviewed
from lull.cli.shared.control import Control, ServiceError
from lull.contract import routes
from lull.contract.chat_headers import SKILLS_HEADER, WINDOW_AGENT
from lull.core.chat.picks import PAIRS_A_SITTING

MODEL: Final = "lull-mini"
MOST_TOKENS: Final = 120
"""What the person's programs ask for at most: more of an answer nobody reads."""
AGAIN: Final = 2
"""How often the person asks again, at temperature 1, where an answer of a kind that is only rated
was wrong: an answer as they want it must have been sampled before it can be rated.
"""
RUNS_A_NIGHT: Final = 6
"""Number of finished training runs after which a night ends."""
AT_ONCE: Final = 6
"""Requests that the person's programs send in parallel; the engine answers them together."""
POLL_S: Final = 0.5
PATIENCE_S: Final = 7200.0
PROBED: Final = "probed.json"
"""The file beside the home with the answers of the last evening."""


def play(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    """Play the stretch in `home`, which is empty before the first stretch of a week."""
    someone = person(seed)
    with service(home, stretch, judge="") as (port, control):
        week = _PlainWeek(stretch, someone, port, control, database(home))
        if stretch.night is not Trains.NOTHING:
            week.night()
        for day in range(stretch.first, stretch.last + 1):
            week.day(day)
        if stretch.last == DAYS and stretch.night is not Trains.NOTHING:
            (home.parent / PROBED).write_text(json.dumps(week.probed()), "utf-8")
        return week.played(arm, seed)


class _PlainWeek:
    def __init__(
        self, stretch: Stretch, someone: Person, port: int, control: Control, store: Path
    ) -> None:
        self._arm = stretch
        self._person = someone
        self._port = port
        self._control = control
        self._store = store
        self._notes = Notes(someone, stretch.pasted)
        self._said = reading.recorded(store)
        """Number of exchanges that must be stored before the day is over."""
        self._rated = next(iter(reading.turns_after(store, "")[::-1]), "")
        """The last exchange that was looked at for a rating."""
        self._counting = threading.Lock()
        self._done: list[Done] = []
        self._reviewed: dict[str, Reviewed] = {}
        self.picked = 0
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
            self._set("training.enabled", "false")  # the morning
            waiting.result()

    def day(self, day: int) -> None:
        """Play a day: its requests, the corrections and ratings, and the evening's review."""
        with self._timed("asking"):
            self._works(day)
            self._rates(day)
            reading.wait_until_read(self._store, self._said, patience_s=PATIENCE_S)
        if self._arm.skills:
            with self._timed("proving"):
                self._control.post(routes.PROPOSALS_PROVE, {"wait": True}, patience_s=PATIENCE_S)
                self._reviews(day)

    def played(self, arm: str, seed: int) -> Played:
        """Return what came of the stretch."""
        runs: dict[str, int] = {}
        for run in self._runs():
            key = f"{run['kind']} {run['status']}"
            runs[key] = runs.get(key, 0) + 1
        return Played(
            arm=arm,
            seed=seed,
            done=tuple(self._done),
            reviewed=tuple(self._reviewed.values()),
            runs=runs,
            judged=self.picked,
            asking_s=self._spent_s["asking"],
            proving_s=self._spent_s["proving"],
            training_s=self._spent_s["training"],
        )

    def probed(self) -> list[Json]:
        """Ask the probes with and without skills in the prompt and trained weights; a row for each
        of the four states.
        """
        trained = [self._probe(block=block, weights=True) for block in (True, False)]
        self._control.post(routes.ADAPTERS_ROLLBACK, {})
        return trained + [self._probe(block=block, weights=False) for block in (True, False)]

    def _probe(self, *, block: bool, weights: bool) -> Json:
        requests = self._person.probes()
        # Only Lull's own window may ask for an answer without skills.
        headers = {"User-Agent": WINDOW_AGENT} | ({} if block else {SKILLS_HEADER: "no"})
        right: dict[str, list[bool]] = {}
        with ThreadPoolExecutor(AT_ONCE) as programs:
            answered = programs.map(lambda one: self._posts(one, headers=headers), requests)
            for request, (answer, _) in zip(requests, answered, strict=True):
                liked = self._person.likes(request, answer)
                right.setdefault(request.habit, []).append(liked)
        return {"block": block, "weights": weights, "right": right}

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self._spent_s[what] += time.monotonic() - began_s

    def _decided(self) -> int:
        return len(self._runs())

    def _runs(self) -> list[Json]:
        runs: list[Json] = self._control.get(routes.TRAIN)["runs"]
        return [run for run in runs if run["status"] in DECIDED]

    def _set(self, key: str, value: str) -> None:
        self._control.post(routes.SETTINGS, {"key": key, "value": value})

    # What the person does

    def _works(self, day: int) -> None:
        """Play a day's requests; of each habit one wrong answer a day is corrected."""
        told: set[str] = set()
        requests = self._person.day(day)
        wrong: list[Request] = []
        with ThreadPoolExecutor(AT_ONCE) as programs:
            for some in range(0, len(requests), AT_ONCE):
                asked = requests[some : some + AT_ONCE]
                answers = list(programs.map(self._asks, asked))
                for request, (answer, tokens) in zip(asked, answers, strict=True):
                    if not self._gets(request, answer, tokens):
                        wrong.append(request)
                        self._tells(request, answer, told)
            if self._arm.skills:
                again = [one for one in wrong if one.habit in RATED for _ in range(AGAIN)]
                list(programs.map(self._asks_again, again, range(len(again))))

    def _gets(self, request: Request, answer: str, tokens: int) -> bool:
        right = self._person.likes(request, answer)
        self._done.append(
            Done(
                day=request.day,
                number=request.number,
                client=request.client,
                kind=request.habit,
                right=right,
                prompt_tokens=tokens,
            )
        )
        return right

    def _tells(self, request: Request, answer: str, told: set[str]) -> None:
        said = None if request.habit in told else self._person.corrects(request)
        if said is not None:
            told.add(request.habit)
            self._asks(request, answer, said.text)
            self._notes.said(request, said)

    def _asks(self, request: Request, *more: str) -> tuple[str, int]:
        return self._recorded(request, *more)

    def _asks_again(self, request: Request, number: int) -> tuple[str, int]:
        return self._recorded(request, seed=10_000 * request.day + number)

    def _recorded(self, request: Request, *more: str, seed: int | None = None) -> tuple[str, int]:
        said = self._posts(request, *more, seed=seed)
        with self._counting:
            self._said += 1
        return said

    def _posts(
        self,
        request: Request,
        *more: str,
        seed: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[str, int]:
        """Send a request, greedily or at temperature 1 with a seed; return the answer and the
        prompt's token count as the model read it.
        """
        roles = ("user", "assistant", "user")
        messages = [
            {"role": role, "content": text}
            for role, text in zip(roles, (request.text, *more), strict=False)
        ]
        if system := self._notes.system(request):
            messages.insert(0, {"role": "system", "content": system})
        options: Json = {"temperature": 0} if seed is None else {"temperature": 1, "seed": seed}
        options["num_predict"] = MOST_TOKENS
        body = {"model": MODEL, "stream": False, "options": options, "messages": messages}
        path = "/api/chat" if request.client == HOME else f"/c/{request.client}/api/chat"
        said = _post(self._port, path, body, headers or {})
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
            right = self._person.likes(request, seen["answer"])
            if self._person.rates(request, right=right):
                path = routes.RATE.format(id=quote(turn, safe=""))
                self._control.post(path, {"label": "good" if right else "bad"})

    def _reviews(self, day: int) -> None:
        """Pick answers in a blind test where only that can tell; then approve all that is proved,
        unread, as a hasty person does: what is wrong with it must be found by Lull, or be replaced
        by what is said later.
        """
        for proposal in self._control.get(routes.PROPOSALS)["proposals"]:
            if proposal["evidence"]["picks"]["wanted"]:
                with suppress(ServiceError):  # other evidence has decided it meanwhile
                    self._compares(proposal, self._person.meant(proposal["body"], day), day)
        for proposal in self._control.get(routes.PROPOSALS)["proposals"]:
            approved = proposal["status"] == "proved"
            if approved:
                self._control.post(
                    _path(routes.PROPOSAL_DO, proposal, action="approve"),
                    {"sha256": proposal["sha256"]},
                )
            said = self._person.meant(proposal["body"], day)
            self._reviewed[proposal["id"]] = Reviewed(
                proposal=proposal["id"], fault=said.fault, approved=approved
            )

    def _compares(self, proposal: Json, said: Said, day: int) -> None:
        """Pick from as many pairs as one sitting has, or until the proposal is decided."""
        for _ in range(PAIRS_A_SITTING):
            shown = self._control.post(
                _path(routes.PROPOSAL_COMPARE, proposal), {}, patience_s=PATIENCE_S
            )
            while shown["working"]:
                shown = self._control.post(
                    _path(routes.PROPOSAL_COMPARE, proposal), {}, patience_s=PATIENCE_S
                )
            if shown["pair"] is None:
                return
            pick = self._person.picks(said, day, shown["a"], shown["b"])
            picked = self._control.post(
                _path(routes.PROPOSAL_PICK, proposal), {"pair": shown["pair"], "pick": pick.value}
            )
            self.picked += 1
            if not picked["open"]:
                return


def _path(route: str, proposal: Json, **more: str) -> str:
    return route.format(id=quote(proposal["id"], safe=""), **more)


def _post(port: int, path: str, body: Json, more: Mapping[str, str]) -> Json:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        headers = {"Content-Type": "application/json", "User-Agent": "plainweek/1", **more}
        connection.request("POST", path, json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        said: Json = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {said}")
        return said
    finally:
        connection.close()
