"""A person who corrects the built-in model in words, and the suggestions that come of it."""

from __future__ import annotations

from lull.contract.json_object import Json
from tests.eventually import eventually
from tests.running import Lull, RunningLull

RULE = "when you write a menu, join with bars and finish with sugar"


class Talk:
    """A person in one conversation, with a client that sends the whole history each time."""

    def __init__(self, service: RunningLull, *, client: str = "") -> None:
        self._service = service
        self._path = f"/c/{client}/api/chat" if client else "/api/chat"
        self._messages: list[Json] = []

    def says(self, text: str) -> str:
        self._messages.append({"role": "user", "content": text})
        body = {"model": "pocket", "stream": False, "messages": self._messages}
        answer = self._service.post(self._path, body)
        assert answer.status == 200, answer
        said: str = answer.json["message"]["content"]
        self._messages.append({"role": "assistant", "content": said})
        return said


def proposals(lull: Lull) -> list[Json]:
    found: list[Json] = lull.ask("review")["proposals"]
    return found


def one_proposal(lull: Lull) -> Json:
    found = eventually(lambda: proposals(lull))
    assert len(found) == 1, found
    return dict(found[0])


def corrected(lull: Lull, service: RunningLull, rule: str = RULE, *, client: str = "") -> Json:
    """Ask for a menu, correct the answer in words, and return the proposal."""
    talk = Talk(service, client=client)
    assert talk.says("write a menu for apple river stone") == "apple and river and stone"
    talk.says(f"no, {rule}")
    return one_proposal(lull)


def settled(lull: Lull) -> None:
    """Wait until everything that was said so far has been looked at."""
    lull.ask("prove", "--wait")
