"""Three models on one scripted server: one that cooks, one that judges, one that writes skills.

The cook is what the user talks to, over Ollama's own protocol. It joins dishes with bars if the
skill's very words stand in its prompt, and calls a tool where it is offered one. The referee and
the scribe answer as a test tells them, over either protocol. Every request is kept; a mark in the
body tells a user's requests from Lull's own.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lull.contract.json_object import Json
from lull.contract.routes import CONVERSATION, CONVERSATIONS, PROPOSALS_PROVE, RATE, STATUS
from tests.doubles.scripted_endpoint import Answer, Says, ScriptedEndpoint, says_json
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.service.scripted_upstream import Asked

COOK, REFEREE, SCRIBE = "cook", "referee", "scribe"
BARS = "When a menu is asked for, join the dishes with bars."
SKILL: Json = {
    "name": "menu-style",
    "description": "When a menu or a list of dishes is asked for.",
    "body": BARS,
}
PLAIN, RIGHT = "soup and bread", "soup | bread"
OF_A_USER = {"keep_alive": "7m"}
"""A mark in the body of each chat that a test sends as its user."""
_BLOCK = re.compile(
    r"<<<(?P<label>[^<>]+) (?P<code>[0-9a-f]{12,})>>>\n(?P<text>.*?)\n"
    r"<<<end of (?P=label) (?P=code)>>>",
    re.DOTALL,
)


def cooks(asked: Asked) -> None:
    body = asked.json
    prompt = "\n".join(str(message.get("content", "")) for message in body["messages"])
    if body.get("tools") and body["messages"][-1]["role"] != "tool":
        Says(text="", calls=(("shell", {"command": "pytest"}),))(asked)
    else:
        told = BARS.rstrip(".").lower() in prompt.lower()  # in the words of a user, too
        Says(text=RIGHT if told else PLAIN)(asked)


def blocks(body: Json) -> dict[str, str]:
    """Return the marked blocks that a judge or a writer was shown, by label."""
    shown = body["messages"][-1]["content"]
    return {found["label"]: found["text"] for found in _BLOCK.finditer(shown)}


def vote(score: int) -> Says:
    return says_json({"reason": "It is so.", "score": score})


def wants_bars(asked: Asked) -> None:
    """Answer as a judge that wants bars where there is a wish, and else calls every answer good."""
    seen = blocks(asked.json)
    if "answer A" in seen:
        says_json({"reason": "They say the same.", "better": "same"})(asked)
    elif "what the user said they want" in seen:
        vote(1 if "|" in seen["the answer"] else -1)(asked)
    else:
        vote(1)(asked)


class Models(ScriptedEndpoint):
    """The server of all three; `cook`, `judge` and `writer` may be set to other answers."""

    def __init__(self) -> None:
        super().__init__()
        self.models = [{"name": f"{n}:latest", "digest": f"d-{n}"} for n in (COOK, REFEREE, SCRIBE)]
        self.script = self._by_model
        self.cook: Answer = cooks
        self.judge: Answer = wants_bars
        self.writer: Answer = says_json(SKILL)

    def _by_model(self, asked: Asked) -> None:
        if asked.method != "POST" or not asked.path.endswith(("/api/chat", "/chat/completions")):
            asked.answer(404, b"404 page not found")
            return
        model = str(asked.json.get("model")).partition(":")[0]
        {COOK: self.cook, REFEREE: self.judge, SCRIBE: self.writer}[model](asked)

    def asked_of(self, model: str) -> list[Asked]:
        return [
            one
            for one in list(self.asked)
            if one.path.endswith(("/api/chat", "/chat/completions"))
            and one.json["model"].partition(":")[0] == model
        ]

    def bodies(self, model: str) -> list[Json]:
        return [one.json for one in self.asked_of(model)]

    def prompts_of_users(self) -> list[str]:
        """Return the whole prompts that the cook got from users."""
        return [
            one.body.decode()
            for one in self.asked_of(COOK)
            if one.json.get("keep_alive") == OF_A_USER["keep_alive"]
        ]


def in_turn(*answers: Answer) -> Answer:
    """Return an answer that gives these one after the other, the last one for ever."""
    left, lock = list(answers), threading.Lock()

    def answer(asked: Asked) -> None:
        with lock:
            one = left.pop(0) if len(left) > 1 else left[0]
        one(asked)

    return answer


class Talk:
    """A user in one conversation with the cook, whose client sends the whole history each time."""

    def __init__(self, service: RunningLull, **more: Any) -> None:
        self._service = service
        self._more = more
        self._messages: list[Json] = []

    def says(self, text: str, *, role: str = "user", **more: str) -> str:
        self._messages.append({"role": role, "content": text, **more})
        body = {"model": COOK, "stream": False, "messages": self._messages}
        answer = self._service.post("/api/chat", {**body, **OF_A_USER, **self._more})
        assert answer.status == 200, answer
        self._messages.append(answer.json["message"])
        said: str = answer.json["message"]["content"]
        return said


@contextmanager
def at_home(folder: Path, models: Models, settings: str) -> Iterator[Lull]:
    """Make a home whose Ollama is the scripted server, with this settings.toml.

    Skills are chosen however slow this machine is.
    """
    folder.mkdir()
    (folder / "settings.toml").write_text(f"{settings}\n[skills]\nfacts_within_ms = 5000\n")
    with RunningLull.cleaned_up(folder, upstream=models.address) as lull:
        yield lull


# These ask on the socket what the command line would ask: tests ask often, and each process costs
# half a second. Each is run as a command in some other test.


def prove(lull: Lull) -> Json:
    """Prove what waits, as `lull prove --wait --json` does."""
    said = ControlSocket(lull.home).ask("POST", PROPOSALS_PROVE, {"wait": True})
    assert said.status == 200, said
    return said.json


def status(lull: Lull) -> Json:
    return ControlSocket(lull.home).get(STATUS)


def problems(lull: Lull) -> str:
    """Return the problems in `lull status` as one text."""
    return "\n".join(f"{p['title']}: {p['detail']}" for p in status(lull)["problems"])


def turns(lull: Lull) -> list[Json]:
    """Return all recorded turns, newest conversation first."""
    socket = ControlSocket(lull.home)
    return [
        turn
        for one in socket.get(CONVERSATIONS)["conversations"]
        for turn in socket.get(CONVERSATION.format(id=one["id"]))["turns"]
    ]


def turn_of(lull: Lull, asked: str) -> Json:
    (found,) = [turn for turn in turns(lull) if turn["request"] == asked]
    return found


def rate(lull: Lull, turn: str, label: str) -> None:
    said = ControlSocket(lull.home).ask("POST", RATE.format(id=turn), {"label": label})
    assert said.status == 200, said
