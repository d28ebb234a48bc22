"""A heavy user of a running service: chat apps, the window, the command line, what they teach.

Everything an hour brings is drawn from a seed. What Lull must keep for it is counted.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import quote

from lull.contract import routes
from lull.contract.json_object import Json
from lull.pocket import language as pocket
from tests.eventually import eventually
from tests.running import Answer, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.service.process.killed.street import COOK, POCKET

CLIENTS = ("", "anna", "ben")
AT_NIGHT = "night"
"""A client whose suggestions the user leaves alone, so that there is something to train."""
KINDS = (pocket.Kind.MENU, pocket.Kind.LIST)
OPEN = ("proved", "unproved", "screened", "proving", "disproved")
SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ar", "en", "il")]
AT_ONCE = 3
"""Chats that go on at the same time."""
LOOKS = (
    routes.STATUS,
    routes.SNAPSHOT,
    f"{routes.CONVERSATIONS}?limit=50",
    routes.CONVERSATION_KINDS,
    routes.LEARNING,
    f"{routes.PROPOSALS}?all=1",
    routes.SKILLS,
    routes.SKILLS_HISTORY,
    routes.FEEDBACK,
    routes.WINDOWS,
    routes.CALENDARS,
    routes.TRASH,
    routes.MODELS,
    routes.ADAPTERS,
    routes.TRAIN,
    routes.BACKUP,
    routes.SETTINGS,
    routes.WHY,
)
"""What the pages of the window ask for."""
COMMANDS = (("status",), ("review",), ("why",), ("show",), ("skills", "list"), ("train", "list"))

Messages = list[Json]


@dataclass(frozen=True, slots=True)
class Protocol:
    path: str
    asks: Callable[[Messages], Json]
    """Makes the body of a request of its messages."""
    said: Callable[[Json], str]
    """Takes the answer's text out of an answer that is not streamed."""


PROTOCOLS = {
    "native": Protocol(
        "/api/chat",
        lambda messages: {"messages": messages},
        lambda answer: str(answer["message"]["content"]),
    ),
    "openai": Protocol(
        "/v1/chat/completions",
        lambda messages: {"messages": messages},
        lambda answer: str(answer["choices"][0]["message"]["content"]),
    ),
    "responses": Protocol(
        "/v1/responses",
        lambda messages: {"input": messages},
        lambda answer: str(answer["output"][-1]["content"][0]["text"]),
    ),
    "anthropic": Protocol(
        "/v1/messages",
        lambda messages: {"messages": messages, "max_tokens": 100},
        lambda answer: str(answer["content"][0]["text"]),
    ),
}


@dataclass
class HeavyUser:
    running: RunningLull
    chance: random.Random
    did: Counter[str] = field(default_factory=Counter)

    @property
    def socket(self) -> ControlSocket:
        return ControlSocket(self.running.lull.home)

    # Chats

    def chats(self, conversations: int) -> None:
        """Hold so many conversations, some of them at once."""
        kinds = self.chance.choices(
            (self._talks, self._streams, self._hangs_up, self._sends_much),
            weights=(60, 30, 6, 4),
            k=conversations,
        )
        seeds = [self.chance.random() for _ in kinds]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            going = [pool.submit(kind, seed) for kind, seed in zip(kinds, seeds, strict=True)]
            for one in going:
                one.result()

    def fills(self, requests: int, *, good: int) -> None:
        """Send so many short requests in words of their own, as those of many days before, and rate
        so many of the answers good.
        """
        chances = [random.Random(self.chance.random()) for _ in range(requests)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(self._fills, chances):
                pass
            for _ in pool.map(self._rates, self._newest_turns(good)):
                pass

    def _rates(self, turn: str, *labels: str) -> None:
        for label in labels or ("good",):
            said = self.socket.ask("POST", routes.RATE.format(id=turn), {"label": label})
            assert said.status == 200, said
        self.did["rated"] += 1

    def _fills(self, chance: random.Random) -> None:
        words = " ".join(f"{chance.choice(SYLLABLES)}{chance.choice(SYLLABLES)}" for _ in range(6))
        said = [{"role": "user", "content": f"{words} {chance.random()}"}]
        client = chance.choice(CLIENTS)
        self._post(client, PROTOCOLS["native"], COOK, said, stream=False)

    def _talks(self, seed: float) -> None:
        """Hold a conversation of a few turns, in which the whole history is sent each time."""
        chance = random.Random(seed)
        protocol, model = self._drawn(chance)
        client = chance.choice(CLIENTS)
        messages: Messages = []
        for _ in range(chance.randint(1, 4)):
            messages.append({"role": "user", "content": self._asks(chance)})
            answer = self._post(client, protocol, model, messages, stream=False)
            messages.append({"role": "assistant", "content": protocol.said(answer.json)})

    def _streams(self, seed: float) -> None:
        chance = random.Random(seed)
        protocol, model = self._drawn(chance)
        said = [{"role": "user", "content": self._asks(chance)}]
        self._post(chance.choice(CLIENTS), protocol, model, said, stream=True)

    def _hangs_up(self, seed: float) -> None:
        chance = random.Random(seed)
        said = [{"role": "user", "content": self._asks(chance)}]
        body = json.dumps({"model": chance.choice((COOK, POCKET)), "messages": said})
        connection = http.client.HTTPConnection(self.running.address.removeprefix("http://"))
        with contextlib.closing(connection):
            connection.request("POST", "/api/chat", body, {"Content-Type": "application/json"})
        self.did["hung up"] += 1

    def _sends_much(self, seed: float) -> None:
        said = [{"role": "user", "content": f"{seed} " + "hi there " * 60_000}]
        self._post("", PROTOCOLS["native"], COOK, said, stream=False)

    def _drawn(self, chance: random.Random) -> tuple[Protocol, str]:
        """Draw a protocol and a model; the scripted upstream speaks the first two."""
        name = chance.choice(sorted(PROTOCOLS))
        spoken = (COOK, COOK, POCKET) if name in ("native", "openai") else (POCKET,)
        self.did[name] += 1
        return PROTOCOLS[name], chance.choice(spoken)

    @staticmethod
    def _asks(chance: random.Random) -> str:
        return pocket.draw_request(chance, chance.choice(KINDS), pocket.draw_words(chance))

    def _post(
        self, client: str, protocol: Protocol, model: str, messages: Messages, *, stream: bool
    ) -> Answer:
        path = f"/c/{client}{protocol.path}" if client else protocol.path
        body = {"model": model, "stream": stream, **protocol.asks(messages)}
        answer = self.running.post(path, body)
        assert answer.status == 200, (path, answer)
        self.did["turns"] += 1
        return answer

    # Teaching

    def teaches(self) -> None:
        """Correct an answer in words, have what comes of it tested, and decide on it."""
        chance, native = self.chance, PROTOCOLS["native"]
        client = chance.choice(CLIENTS)
        messages: Messages = [{"role": "user", "content": self._asks(chance)}]
        answer = self._post(client, native, POCKET, messages, stream=False)
        messages.append({"role": "assistant", "content": native.said(answer.json)})
        style = pocket.draw_style(chance, attributes=2)
        rule = pocket.draw_rule(chance, chance.choice(KINDS), style)
        messages.append({"role": "user", "content": f"no, {rule}"})
        self._post(client, native, POCKET, messages, stream=False)
        assert self.socket.ask("POST", routes.PROPOSALS_PROVE, {"wait": True}).status == 200
        self.decides()

    def wishes(self, conversations: int) -> None:
        """Ask for menus, and say in some of the conversations how they should be written."""
        native, chance = PROTOCOLS["native"], random.Random(3)
        for number in range(conversations):
            asked = pocket.draw_request(chance, pocket.Kind.MENU, pocket.draw_words(chance))
            messages: Messages = [{"role": "user", "content": asked}]
            answer = self._post(AT_NIGHT, native, POCKET, messages, stream=False)
            if number % 8 == 0:
                messages.append({"role": "assistant", "content": native.said(answer.json)})
                messages.append(
                    {"role": "user", "content": "no, when you write a menu, join with bars"}
                )
                self._post(AT_NIGHT, native, POCKET, messages, stream=False)

    def decides(self) -> None:
        """Approve an open suggestion, or reject or defer it; the first that is there."""
        found = self.socket.get(routes.PROPOSALS)["proposals"]
        theirs = [p for p in found if p["status"] in OPEN and p["client"] != AT_NIGHT]
        for proposal in theirs[:1]:
            action = self.chance.choice(("approve", "approve", "reject", "defer"))
            name = quote(proposal["id"], safe="")
            path = routes.PROPOSAL_DO.format(id=name, action=action)
            said = self.socket.ask("POST", path, {"sha256": proposal["sha256"], "reason": "no"})
            assert said.status in (200, 409), said
            self.did[action] += 1

    def judges(self) -> None:
        """Rate some of the newest answers, one of them again, and correct one in the window."""
        for at, turn in enumerate(self._newest_turns(4)):
            self._rates(turn, *(("good", "bad", "clear", "good") if at == 0 else ("good",)))
        for turn in self._newest_turns(1):
            path = routes.TURN_CORRECT.format(id=turn)
            said = self.socket.ask("POST", path, {"words": "no, when you write a list, use bars"})
            assert said.status in (200, 400, 409), said

    def _newest_turns(self, count: int) -> list[str]:
        listed = self.socket.get(f"{routes.CONVERSATIONS}?limit={count}")["conversations"]
        shown = [self.socket.get(routes.CONVERSATION.format(id=one["id"])) for one in listed]
        return [one["turns"][-1]["id"] for one in shown]

    def writes_skills(self) -> None:
        """Write an own skill, or change the one that is there, and switch it off and on."""
        own = {"name": "own-style", "client": "anna"}
        body = f"Sign as number {self.did['own']}."
        added = self.socket.change(do="add", **own, description="A menu.", body=body)
        if added.status != 200:
            edited = self.socket.change(do="edit", **own, description="A menu.", body=body)
            assert edited.status == 200, edited
        self.did["own"] += 1
        for does in ("disable", "enable"):
            assert self.socket.change(do=does, **own).status == 200

    # Looking

    def looks(self) -> None:
        """Open the window, go through its pages, and close it again."""
        with self.socket.events():
            for path in LOOKS:
                said = self.socket.ask("GET", path)
                assert said.status == 200, (path, said)
        words = COMMANDS[self.did["commands"] % len(COMMANDS)]
        ran = self.running.lull.run(*words, "--json")
        assert ran.code == 0, ran
        self.did["commands"] += 1

    def is_refused(self) -> None:
        """Ask for what is not there, and as a page of another site."""
        assert self.running.get("/no/such/path").status == 404
        host = {"Host": f"page-{self.chance.random()}.example"}
        assert self.running.get("/api/tags", host).status == 403
        assert self.running.post("/api/chat", b"{ not JSON").status >= 400

    # Upkeep

    def pauses(self) -> None:
        assert self.socket.ask("POST", routes.PAUSE, {}).status == 200
        assert self.socket.ask("POST", routes.RESUME, {}).status == 200

    def tidies(self) -> None:
        """Move old conversations to the trash, and forget the newest one for good."""
        assert self.socket.ask("POST", routes.TRASH, {"do": "sweep"}).status == 200
        listed = self.socket.get(f"{routes.CONVERSATIONS}?limit=1")["conversations"]
        for one in listed:
            wanted = {"conversation": one["id"], "yes": True}
            said = self.socket.ask("POST", routes.FORGET, wanted)
            assert said.status == 200, said
            self.did["forgotten"] += 1

    def backs_up(self) -> None:
        said = self.socket.ask("POST", routes.BACKUP, {})
        assert said.status == 200, said
        self.did["backups"] += 1

    def has_learned(self) -> None:
        """Wait until all is loaded that is loaded once, when something is first learned."""
        vectors = self.running.lull.home / "vectors"
        eventually(lambda: vectors.exists() and any(one.is_dir() for one in vectors.iterdir()))
