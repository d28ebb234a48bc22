"""Stores what the user says later, in Lull's window, about an answer: what it should have said.

The words are stored as the user's next message after that answer, without an answer of its own, so
whatever reads, scores, learns from or deletes messages does so with these, too. The chat app does
not know of them: they take no number of its turns, and no later request continues from them.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lull.core.chat.message_chain import link
from lull.core.chat.messages import Finish, Message, Role, text_message
from lull.core.errors import NotFound
from lull.store.chat.recording import write_message
from lull.store.chat.turn_rows import without_surrogates

CORRECTION_ROUTE: Final = "correction"
"""What stands in place of the request's path in the turn of a correction."""

_COPIED: Final = "trajectory, number, model, base, adapter, generation, skills, template, suffixes"

# The user speaks now: skills approved since the answer were there when these words were said.
_NEWEST_LIBRARY: Final = "(SELECT coalesce(max(number), 0) FROM generations)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the user said about an answer later, to be stored as a turn of its own."""

    turn: str
    """Id of the new turn."""
    about: str
    """Id of the turn whose answer is corrected."""
    words: str
    at: datetime


def write_correction(connection: sqlite3.Connection, said: Correction, *, key: bytes) -> str:
    """Store a correction as a turn, without its secrets, and return the id of its conversation.
    Raises NotFound.
    """
    corrected = connection.execute(
        "SELECT trajectory, answer_link FROM turns WHERE id = ? AND route <> ?",
        (said.about, CORRECTION_ROUTE),
    ).fetchone()
    if corrected is None:
        raise NotFound(f"There is no answer {said.about}.", hint="`lull show ID` lists the turns.")
    message = text_message(Role.USER, without_surrogates(said.words))
    asked = link(key, corrected["answer_link"], message)
    answered = link(key, asked, _NOTHING)
    write_message(connection, asked, corrected["answer_link"], message, key=key)
    write_message(connection, answered, asked, _NOTHING, key=key)
    connection.execute(
        f"INSERT INTO turns (id, at, route, sampling, request_link, answer_link, finish, error,"
        f" took_s, note, known, {_COPIED})"
        f" SELECT ?, ?, ?, '{{}}', ?, ?, ?, '', 0, '', {_NEWEST_LIBRARY}, {_COPIED}"
        " FROM turns WHERE id = ?",
        (
            said.turn,
            said.at.isoformat(),
            CORRECTION_ROUTE,
            asked,
            answered,
            Finish.HANGUP.value,
            said.about,
        ),
    )
    return str(corrected["trajectory"])


_NOTHING: Final = Message(role=Role.ASSISTANT)
"""The answer of a correction: nobody was asked."""
