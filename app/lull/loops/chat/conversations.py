"""Finds the conversation that a chat request continues, and the turn in it after which the request
comes.

A client may name its session; else the conversation is looked up by hashes of the request's message
history. The last turns of recent conversations are kept in memory, because a next request may come
before the store has written the turn.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from lull.core.chat.client import Client
from lull.core.chat.message_chain import link, links, root
from lull.core.chat.messages import ChatRequest, Message, Role
from lull.core.errors import StoreError
from lull.loops.chat.known_models import remember
from lull.store.chat.trajectories import Position, Trajectories

log = logging.getLogger(__name__)

MOST_POSITIONS = 2048
"""Most stored conversations whose last turn is kept in memory, so that a next request finds its
conversation.
"""


class Conversations:
    """Finds stored conversations that a request continues, by the hash links of their messages or
    by the client's session name.
    """

    def __init__(self, trajectories: Trajectories) -> None:
        self._trajectories = trajectories
        self._key = trajectories.key
        self._recent: OrderedDict[str, Position] = OrderedDict()
        self._store_failing = False

    def chain(self, client: Client, request: ChatRequest) -> list[str]:
        """Return a hash link for each message of a request: a keyed hash of the message and all
        before it, by which its conversation is found.
        """
        if request.outline is not None:
            return list(request.outline.links)
        return links(self._key, client.identity, request.messages)

    def answer_link(self, client: Client, chain: Sequence[str], answer: Message) -> str:
        """Return the hash link of the answer to a request: a keyed hash of the answer and all
        messages before it. `chain` are the links of the request's own messages.
        """
        behind = chain[-1] if chain else root(self._key, client.identity)
        return link(self._key, behind, answer)

    def position(
        self, client: Client, session: str, messages: Sequence[Message], chain: Sequence[str]
    ) -> Position | None:
        """Find the stored conversation that this request continues, by its session name or the hash
        links of its history; None for a new conversation.

        A first message starts a new conversation even when the same words were said before.
        """
        if session:
            named = self._recent.get(_session_key(client, session))
            return named or self._stored(
                lambda: self._trajectories.session_position(client, session)
            )
        history = chain[:-1]
        if all(message.role is Role.SYSTEM for message in messages[:-1]):
            return None
        for known in reversed(history):
            if known in self._recent:
                return self._recent[known]
        return self._stored(lambda: self._trajectories.position(history))

    def remember(
        self, position: Position, client: Client, session: str, ends: Iterable[str]
    ) -> None:
        """Keep the last turn of a conversation in memory, so that the next request finds it by the
        session's name or by `ends`: keyed hashes of a message and all messages before it.
        """
        for known in (*ends, _session_key(client, session)):
            if known:
                remember(self._recent, known, position, most=MOST_POSITIONS)

    def _stored(self, read: Callable[[], Position | None]) -> Position | None:
        """Read a conversation's position from the store; if that fails, the conversation starts
        anew but the reply works.
        """
        try:
            found = read()
        except StoreError as error:
            if not self._store_failing:
                log.error("conversations cannot be found again: %s", error)
            self._store_failing = True
            return None
        if self._store_failing:
            log.warning("conversations are found again")
        self._store_failing = False
        return found


def _session_key(client: Client, session: str) -> str:
    return f"session\0{client.identity}\0{session}" if session else ""
