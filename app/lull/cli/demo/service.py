"""Runs a real service for `lull demo`, controlling its clock and its signals of the user's
presence.

What happens in the conversations of the simulated week is decided in `week.py`.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from lull.cli.shared.control import Control
from lull.config.paths import Paths
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import LullError

MODEL: Final = "lull-mini"
ANSWER_TIMEOUT_S: Final = 600.0
"""The first answer waits until the model's weights are made."""
STOP_TIMEOUT_S: Final = 30.0
REFRESH_S: Final = 0.4
"""Seconds between writes of the simulated presence signals.

The service ignores signals older than a minute.
"""
CALM: Final[Json] = {
    "on_mains": True,
    "load_of_others": 0.05,
    "memory_free_share": 0.8,
    "low_power": False,
    "hot": False,
    "call": False,
}
HERE: Final[Json] = {**CALM, "input_idle_s": 2, "locked": False}


NEWEST: Final = 50
"""How many of the newest conversations are looked at to find one; a whole week has fewer."""


RECORDED_TIMEOUT_S: Final = 60.0
"""Answers are recorded in the background, usually within a second."""


class DemoFailed(LullError):
    title = "The week could not be played"


class PlayedTime:
    """Sets the simulated clock by which the demo's service runs.

    The simulated time only goes forward and is never ahead of the real time.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._at_s, self._since_s = 0.0, time.time()

    def now_s(self) -> float:
        """Return the simulated time, in seconds since 1970."""
        real_s = time.time()
        return min(real_s, self._at_s + (real_s - self._since_s))

    def set(self, at: datetime) -> None:
        """Move the simulated clock on to a time; it is never set back."""
        self._go_on(max(at.timestamp(), self.now_s()))

    def skip(self, length: timedelta) -> None:
        """Move the simulated clock on by a length of time."""
        self._go_on(self.now_s() + length.total_seconds())

    def _go_on(self, at_s: float) -> None:
        self._at_s, self._since_s = at_s, time.time()
        said = {"at": at_s, "since": self._since_s, "speed": 1.0}
        _replace(self.file, json.dumps(said))


class SimulatedPresence:
    """Simulates whether the demo's user is at the computer: a thread keeps a file of idle signals
    (such as seconds since the last input) up to date.
    """

    def __init__(self, file: Path, played: PlayedTime) -> None:
        self.file = file
        self._played = played
        self._signals = HERE
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._writer = threading.Thread(target=self._keep, name="desk", daemon=True)

    def __enter__(self) -> SimulatedPresence:
        self._write()
        self._writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._writer.join()

    def says(self, signals: Json) -> None:
        """Replace the idle signals that the service reads, and write them at once."""
        self._signals = signals
        self._write()

    def _keep(self) -> None:
        while not self._over.wait(REFRESH_S):
            self._write()

    def _write(self) -> None:
        with self._lock:
            now_s = self._played.now_s()
            _replace(self.file, json.dumps(self._signals), at_s=now_s)


def _replace(file: Path, text: str, *, at_s: float | None = None) -> None:
    spare = file.with_suffix(".new")
    spare.write_text(text)
    if at_s is not None:
        os.utime(spare, (at_s, at_s))
    spare.replace(file)


@dataclass(slots=True)
class DemoConversation:
    """One conversation between the demo's simulated user and the service.

    Like other clients it sends the whole history with each request.
    """

    service: PlayedService
    client: str
    apart: bool
    messages: list[Json]

    def says(self, text: str) -> str:
        """Send a message of the simulated user and return the model's answer."""
        self.messages.append({"role": "user", "content": text})
        said = self.service.chat(self.messages, client=self.client, apart=self.apart)
        self.messages.append({"role": "assistant", "content": said})
        return said


def say_at_once(said: Sequence[tuple[DemoConversation, str]]) -> list[str]:
    """Say one thing in each of these conversations at the same time; return the answers in order.

    Raises DemoFailed.
    """
    answers: dict[int, str | DemoFailed] = {}

    def say(number: int, talk: DemoConversation, text: str) -> None:
        try:
            answers[number] = talk.says(text)
        except DemoFailed as error:
            answers[number] = error

    # Daemons: after Ctrl-C nobody waits for what is still being answered.
    threads = [
        threading.Thread(target=say, args=(number, *one), daemon=True)
        for number, one in enumerate(said)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers.values():
        if isinstance(answer, DemoFailed):
            raise answer
    return [str(answers[number]) for number in range(len(said))]


class PlayedService:
    """The demo's service process, which is started for each part of the simulated week and stopped
    after it.

    Between two parts the simulated time jumps. A service that went on running would take the jump
    for sleep of the machine.
    """

    def __init__(self, paths: Paths, serve: tuple[str, ...], folder: Path) -> None:
        """Prepare the demo's service, which is started with the command line `serve`.

        `folder` gets the files that set the service's clock and its signals of the user's presence.
        """
        self.paths = paths
        self._serve = serve
        self.played = PlayedTime(folder / "clock.json")
        self.desk = SimulatedPresence(folder / "signals.json", self.played)
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""

    @contextlib.contextmanager
    def running(self, at: datetime, *, signals: Json = HERE) -> Iterator[PlayedService]:
        """Context manager that runs the demo's service with its clock starting at `at`.

        `signals` says whether the simulated user is present.
        """
        self.played.set(at)
        self.desk.says(signals)
        try:
            self._start()  # inside the try, because Ctrl-C may come while it starts
            yield self
        finally:
            self._stop()

    def _start(self) -> None:
        words = ["--port", "0", "--json", "--played-clock", str(self.played.file)]
        with (self.paths.logs / "demo.txt").open("ab") as complaints:
            self._process = subprocess.Popen(
                [*self._serve, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,  # so that Ctrl-C reaches only this process
                env={**os.environ, "LULL_HOME": str(self.paths.home)},
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            raise DemoFailed(
                f"The service did not start (exit code {code}).",
                hint=f"{complaints.name} says why.",
            )
        self._address = str(json.loads(line)["address"])

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    # Actions of the user

    def talk(self, client: str, *, apart: bool = False) -> DemoConversation:
        """Begin a new conversation as this chat client; `apart` uses its own address."""
        return DemoConversation(self, client, apart, [])

    def chat(self, messages: list[Json], *, client: str, apart: bool) -> str:
        """Send one chat request to the demo's service and return the answer.

        With `apart` it goes to the address for this client alone (`/c/<client>/…`). Raises
        DemoFailed.
        """
        path = f"/c/{client}/api/chat" if apart else "/api/chat"
        body = json.dumps({"model": MODEL, "stream": False, "messages": messages})
        place = urlsplit(self._address)
        connection = http.client.HTTPConnection(
            place.hostname or "", place.port, timeout=ANSWER_TIMEOUT_S
        )
        try:
            headers = {"Content-Type": "application/json", "User-Agent": f"{client}/1.0"}
            connection.request("POST", path, body.encode(), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            if answer.status != http.client.OK:
                raise DemoFailed(f"A chat was answered with {answer.status}: “{said}”.")
            return str(said["message"]["content"])
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise DemoFailed(f"A chat was not answered: “{error}”.") from error
        finally:
            connection.close()

    def rate(self, talk: DemoConversation, label: str) -> None:
        """Rate the newest answer in a conversation of the demo."""
        if not self.wait_until(lambda: self._recorded(talk), within_s=RECORDED_TIMEOUT_S):
            raise DemoFailed("A conversation of the played week was not recorded.")
        name = quote(self._recorded(talk)[0]["id"])
        turns = self.control().get(routes.CONVERSATION.format(id=name))["turns"]
        self.control().post(routes.RATE.format(id=quote(turns[-1]["id"])), {"label": label})

    def _recorded(self, talk: DemoConversation) -> list[Json]:
        newest = self.control().get(routes.CONVERSATIONS, limit=NEWEST)["conversations"]
        return [one for one in newest if one["title"] == talk.messages[0]["content"]]

    def proposals(self) -> list[Json]:
        """Fetch the proposed skills that wait for a decision."""
        found: list[Json] = self.control().get(routes.PROPOSALS)["proposals"]
        return found

    def decide(self, proposal: Json, action: str, **more: object) -> None:
        """Decide a proposed skill, for example approve it; `more` is sent along."""
        path = routes.PROPOSAL_DO.format(id=quote(proposal["id"], safe=""), action=action)
        self.control().post(path, {"sha256": proposal["sha256"], **more})

    def wait_until_settled(self) -> None:
        """Wait until the demo's service has read all messages so far for feedback and has tested
        all proposed skills.
        """
        self.control().post(routes.PROPOSALS_PROVE, {"wait": True}, patience_s=None)

    def control(self) -> Control:
        """Return the connection to the control API of the demo's service."""
        return Control(self.paths)

    def wait_until(self, holds: Callable[[], object], *, within_s: float) -> bool:
        """Wait until the function `holds` returns something true, and return True; return False on
        timeout.

        Raises DemoFailed when the demo's service ended.
        """
        until_s = time.monotonic() + within_s
        while not holds():
            if time.monotonic() > until_s:
                return False
            if self._process is None or self._process.poll() is not None:
                raise DemoFailed("The service of the played week ended by itself.")
            time.sleep(0.2)
        return True
