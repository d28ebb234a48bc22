"""Random histories on real processes: clients over HTTP, decisions over the socket, kill -9.

The test records what was approved, added or switched off, by generation. What was in force when a
request came is known because one thing happens after the other. Of a decision that was cut off by a
kill the test asks afterwards whether it counts, and then it counts whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import random
import threading
import time
from dataclasses import dataclass, field

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.chat.messages import Role, text_message
from lull.core.skills.prompt_block import BETWEEN, CLOSING, OPENING
from lull.pocket import language as pocket
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.doubles.scripted_endpoint import Says, ScriptedEndpoint
from tests.eventually import PATIENCE_S, eventually
from tests.loops.histories.bodies import added
from tests.loops.histories.puppets import answer_to
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket, Said
from tests.service.scripted_upstream import Asked

COOK, POCKET = "cook", "pocket"
CLIENTS = ("", "anna", "ben")
"""Names of chat clients: the plain address, and two with skills of their own."""
SETTINGS = """\
[learning]
quiet_s = 0
[skills]
facts_within_ms = 5000.0
[upstream]
probe_every_s = 0.2
"""
KINDS = (pocket.Kind.MENU, pocket.Kind.LIST)
OPEN = ("proved", "unproved", "screened", "proving")
CUT_OFF = (OSError, http.client.HTTPException, ValueError, KeyError)
"""Errors that a client gets when the service is killed under its request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    sha256: str
    body: str
    active: bool = True


Page = dict[tuple[str, str], InForce]
"""The skills in force in one generation, by client and name."""


@dataclass(slots=True, kw_only=True)
class Request:
    """A request: the generation in force when it came, and the skills that the upstream saw."""

    client: str
    generation: int
    bodies: list[str] | None
    """None where the built-in model answered: no upstream saw that request."""


class Cook(ScriptedEndpoint):
    """A fake upstream that obeys the rules in its prompt and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.models = [{"name": f"{COOK}:latest", "digest": "d-cook"}]
        self.answers(self._cooks)
        self.slow = threading.Event()
        self.reached = threading.Event()

    def _cooks(self, asked: Asked) -> None:
        self.reached.set()
        if self.slow.is_set():
            asked.wait_until_left()
            return
        messages = [
            text_message(Role(message["role"]), str(message["content"]))
            for message in asked.json["messages"]
        ]
        Says(text=answer_to(messages, system_only=False))(asked)


@dataclass
class Street:
    lull: Lull
    cook: Cook
    chance: random.Random
    pages: list[Page] = field(default_factory=lambda: [{}])
    requests: dict[str, Request] = field(default_factory=dict)
    """The requests by the text of their newest message, which no other request has."""
    seen_turns: set[str] = field(default_factory=set)
    seen_proposals: set[str] = field(default_factory=set)
    proved: set[str] = field(default_factory=set)
    """Proposals that were proved when they were approved."""
    deaths: int = 0

    def __post_init__(self) -> None:
        self.service: RunningLull = self.lull.serve()

    # Asking

    @property
    def socket(self) -> ControlSocket:
        return ControlSocket(self.lull.home)

    def proposals(self) -> list[Json]:
        found: list[Json] = self.socket.get(f"{routes.PROPOSALS}?all=1")["proposals"]
        return found

    def open(self, *statuses: str) -> list[Json]:
        return [p for p in self.proposals() if p["status"] in statuses]

    def asks(self) -> str:
        """Return a request for a menu or a list in words that no earlier request had."""
        while True:
            words = pocket.draw_words(self.chance)
            text = f"write a {self.chance.choice(KINDS)} for {' '.join(words)}"
            if text not in self.requests:
                return text

    def says(self, client: str, model: str, messages: list[Json]) -> Json:
        """Send one turn, and check at once what went to the upstream."""
        text, page = messages[-1]["content"], self.pages[-1]
        body = {"model": model, "stream": False, "messages": messages}
        before = len(self.cook.chats)
        path = f"/c/{client}/api/chat" if client else "/api/chat"
        answer = self.service.post(path, body)
        assert answer.status == 200, answer
        bodies = None
        if model == COOK:
            (sent,) = self._sent(before, text)
            bodies = self._bodies(body, sent)
            in_force = {s.body for (room, _), s in page.items() if room == client and s.active}
            assert set(bodies) <= in_force, "what nobody approved for this client was sent"
        self.requests[text] = Request(client=client, generation=len(self.pages) - 1, bodies=bodies)
        said: Json = answer.json["message"]
        return said

    def _sent(self, before: int, text: str) -> list[bytes]:
        """Return what went upstream for the client's request; Lull's own replays have a seed."""
        return [
            asked.body
            for asked in [a for a in self.cook.asked if a.path == "/api/chat"][before:]
            if asked.json["messages"][-1]["content"].startswith(text)
            and "seed" not in asked.json.get("options", {})
        ]

    def _bodies(self, plain: Json, sent: bytes) -> list[str]:
        """Return the skills that were added to a request; fail if anything else was added."""
        assert CHAT_ROUTES["/api/chat"].read_request(sent)
        found: list[str] = []
        for text in added(json.dumps(plain).encode(), sent):
            block = text.strip("\n")
            assert block.startswith(OPENING) and block.endswith(CLOSING), block
            found += block[len(OPENING) : -len(CLOSING)].split(BETWEEN)
        return found

    # Steps

    def chats(self) -> None:
        client, model = self.chance.choice(CLIENTS), self.chance.choice((COOK, COOK, POCKET))
        self.says(client, model, [{"role": "user", "content": self.asks()}])

    def teaches(self, *, wait: bool = True) -> None:
        """Ask and correct the answer in words; Lull decides whether a proposal comes of it."""
        client, asked = self.chance.choice(CLIENTS), self.asks()
        messages = [{"role": "user", "content": asked}]
        messages.append(self.says(client, POCKET, messages))
        kind = pocket.Kind(asked.split()[2])
        wanted = pocket.draw_rule(self.chance, kind, pocket.draw_style(self.chance, attributes=2))
        messages.append({"role": "user", "content": f"no, {wanted}"})
        if messages[-1]["content"] not in self.requests:
            self.says(client, POCKET, messages)
            self.proves(wait=wait)

    def rates(self) -> None:
        found = [t for t in self.turns() if t["complete"] and not t["support"]]
        for turn in found[-1:]:
            said = self.socket.ask("POST", routes.RATE.format(id=turn["id"]), {"label": "good"})
            assert said.status == 200, said

    def proves(self, *, wait: bool = True) -> None:
        said = self.socket.ask("POST", routes.PROPOSALS_PROVE, {"wait": wait})
        assert said.status == 200, said

    def approves(self) -> None:
        for proposal in self.open(*OPEN)[:1]:
            said = self._approve(proposal)
            assert said.status == 200, said
            self._is_approved(proposal)

    def _approve(self, proposal: Json) -> Said:
        path = routes.PROPOSAL_DO.format(id=proposal["id"], action="approve")
        return self.socket.ask("POST", path, {"sha256": proposal["sha256"]})

    def _is_approved(self, proposal: Json) -> None:
        key = (proposal["client"] or "", proposal["name"])
        stands = InForce(sha256=proposal["sha256"], body=proposal["body"])
        assert hashlib.sha256(proposal["text"].encode()).hexdigest() == stands.sha256
        self.pages.append({**self.pages[-1], key: stands})
        if proposal["status"] == "proved":
            self.proved.add(proposal["id"])

    def rejects(self) -> None:
        for proposal in self.open(*OPEN)[:1]:
            path = routes.PROPOSAL_DO.format(id=proposal["id"], action="reject")
            said = self.socket.ask("POST", path, {"reason": "not like that"})
            assert said.status == 200, said

    def adds(self) -> None:
        client, name = self.chance.choice(CLIENTS), f"own-{len(self.pages)}"
        body = f"Sign as number {len(self.pages)}."
        wanted = {"do": "add", "client": client, "name": name, "description": "When.", "body": body}
        said = self.socket.change(**wanted, pin=True)
        assert said.status == 200, said
        stands = InForce(sha256=said.json["skill"]["sha256"], body=body)
        self.pages.append({**self.pages[-1], (client, name): stands})
        asked = self.asks()
        self.says(client, COOK, [{"role": "user", "content": asked}])
        assert body in (self.requests[asked].bodies or ())

    def disables(self) -> None:
        active = sorted(key for key, stands in self.pages[-1].items() if stands.active)
        for client, name in active[:1]:
            said = self.socket.change(do="disable", client=client, name=name)
            assert said.status == 200, said
            off = InForce(sha256=said.json["skill"]["sha256"], body="", active=False)
            self.pages.append({**self.pages[-1], (client, name): off})

    # Deaths

    def is_killed(self) -> None:
        self.service.kill()
        self.deaths += 1
        self.service = self.lull.serve()

    def is_killed_in_a_proof(self) -> None:
        self.teaches(wait=False)
        least = self.chance.randint(1, 4)
        eventually(lambda: self._pairs() and max(self._pairs().values()) >= least)
        before = self._pairs()
        self.is_killed()
        after = self._pairs()
        assert all(after[proposal] >= pairs for proposal, pairs in before.items())

    def _pairs(self) -> dict[str, int]:
        return {p["id"]: p["evidence"]["pairs"] for p in self.proposals()}

    def is_killed_in_an_approval(self) -> None:
        while not self.open(*OPEN):
            self.teaches()
        for proposal in self.open(*OPEN)[:1]:
            told: list[Said] = []

            def approve(proposal: Json = proposal, told: list[Said] = told) -> None:
                with contextlib.suppress(*CUT_OFF):
                    told.append(self._approve(proposal))

            asker = threading.Thread(target=approve)
            asker.start()
            time.sleep(self.chance.random() / 25)
            self.is_killed()
            asker.join()
            if self.socket.get(routes.SKILLS)["generation"] == len(self.pages):
                self._is_approved(proposal)
            else:
                assert not any(said.status == 200 for said in told), "an approval was lost"

    def is_killed_in_an_answer(self) -> None:
        """Kill the service in the middle of an answer; the turn may not have been recorded."""
        self.cook.slow.set()
        self.cook.reached.clear()
        body = {"model": COOK, "messages": [{"role": "user", "content": self.asks()}]}

        def ask() -> None:
            with contextlib.suppress(*CUT_OFF):
                self.service.post("/api/chat", body)

        asker = threading.Thread(target=ask)
        asker.start()
        assert self.cook.reached.wait(PATIENCE_S)
        self.is_killed()
        asker.join()
        self.cook.slow.clear()

    # Reading

    def turns(self) -> list[Json]:
        """Return all recorded turns, oldest first."""
        return [
            turn
            for one in reversed(
                self.socket.get(f"{routes.CONVERSATIONS}?limit=200")["conversations"]
            )
            for turn in self.socket.get(routes.CONVERSATION.format(id=one["id"]))["turns"]
        ]

    def settled(self) -> None:
        """Wait until the service knows its upstream again after a start."""
        eventually(lambda: self.socket.get(routes.STATUS)["upstream"]["ok"])
