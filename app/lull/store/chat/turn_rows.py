"""Converts database rows of conversations and turns (requests with their answers) to Python values
and back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from lull.core.chat.message_chain import encodable, message_from_json
from lull.core.chat.messages import SPOKEN, Message, Role, Sampling, text_message
from lull.core.chat.trajectory import (
    NOTHING_KNOWN,
    HoldoutAssignment,
    InjectedSkill,
    Selection,
    Suffix,
)
from lull.store.rows.readable_rows import readable

DAMAGED = "⟨this message cannot be read⟩"
"""Placeholder text for a stored message that cannot be read."""
TITLE_CHARACTERS: Final = 120
"""Most characters of a conversation's title."""


class Label(StrEnum):
    """The user's rating of a turn: its answer was good or bad."""

    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryRow:
    """One stored conversation, as shown in the list of conversations."""

    id: str
    client: str
    model: str
    turns: int
    started: str
    last: str
    generation: int
    """Skill generation (version of the set of active skills) that the newest turn was answered
    with.
    """
    skills: tuple[InjectedSkill, ...]
    """Skills in the prompt of the conversation's newest turn."""
    excluded: bool = False
    """Whether the user excluded the conversation from learning."""
    title: str = ""
    """Title of the conversation: the beginning of its first request."""
    label: Label | None = None
    """The user's label of the conversation's turns; bad if there are good and bad ones."""
    p_good: float | None = None
    """Mean of p_good (probability that the answer is good) over the conversation's scored turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a new request continues a stored conversation: after which turn, and with which skills
    injected so far.
    """

    trajectory: str
    turns: int
    selection: Selection
    suffixes: tuple[Suffix, ...]
    known: int
    """Skill generation (version of the set of active skills) in which skills for the conversation
    were last looked up; NOTHING_KNOWN (-1) if never.
    """
    adapter: str | None = None
    """Version of the adapter that answered the last turn; None means the base model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One stored turn (request and answer), with secrets redacted."""

    id: str
    trajectory: str
    number: int
    at: str
    route: str
    model: str
    base: str
    adapter: str | None
    generation: int
    skills: tuple[InjectedSkill, ...]
    sampling: dict[str, Any]
    request: tuple[Message, ...]
    """The messages that are new in this request, oldest first."""
    answer: Message
    finish: str
    error: str
    prompt_tokens: int | None
    completion_tokens: int | None
    took_s: float
    note: str
    label: Label | None
    format: str = ""
    """JSON text of the wanted output format, "" for none."""
    tools: str = ""
    """Hash of the offered tools."""
    why_skills: str = ""
    """For the first turn of a conversation, as `SHOWN` selects it: why no skill was put into the
    prompt, or which skills were left out; "" if none was left out.
    """

    @property
    def complete(self) -> bool:
        """Whether the turn's answer is complete, not cut off because the client hung up or an error
        occurred.
        """
        return self.finish not in ("hangup", "error")

    @property
    def answered(self) -> bool:
        """Whether the user saw an answer to which the next message may reply: a complete one, or
        one that the client stopped while it was written.
        """
        return self.complete or (self.finish == "hangup" and bool(self.answer.text.strip()))

    @property
    def asked_sampling(self) -> Sampling:
        """The sampling parameters that the client asked for in this turn, including the seed."""
        return Sampling(**{**self.sampling, "stop": tuple(self.sampling.get("stop", ()))})


# Selects a trajectory as it stood at one turn, for `position`.
STANDING = (
    "SELECT r.id, r.selection, t.number, t.suffixes, t.adapter,"
    " coalesce(t.known, r.generation) AS known"
    " FROM turns t JOIN trajectories r ON r.id = t.trajectory"
)


WORE_SKILL = (
    "EXISTS (SELECT 1 FROM json_each(iif(json_valid(t.skills), t.skills, '[]')) s WHERE"
    " CASE WHEN s.type = 'object' THEN json_extract(s.value, '$.name') = ? END)"
)
"""SQL condition that a skill of this name was in the prompt of the turn `t`."""


# Selects turns for `shown_turn`; skills are chosen, and left out, on the first of a trajectory.
SHOWN = (
    "SELECT t.*, iif(t.number = 1 AND json_valid(r.selection),"
    " json_extract(r.selection, '$.why'), '') AS why_skills"
    " FROM turns t JOIN trajectories r ON r.id = t.trajectory"
)


# Selects a trajectory with its newest turn, for `trajectory_row`.
LISTED = (
    "SELECT r.id, r.client, r.model, r.turns, r.started, r.last, r.excluded_at,"
    " t.generation, t.skills,"
    " (SELECT min(label) FROM turns WHERE trajectory = r.id) AS label,"
    " (SELECT avg(w.p_good) FROM turns x JOIN rewards w ON w.turn = x.id"
    " WHERE x.trajectory = r.id) AS p_good,"
    # Claude Code sends a system text behind the user's first words, which are then one link back.
    ' (SELECT iif(m.message LIKE \'{"role":"system"%\' AND p.message IS NOT NULL, p.message,'
    " m.message) FROM turns x JOIN messages m ON m.link = x.request_link"
    " LEFT JOIN messages p ON p.link = m.parent"
    " WHERE x.trajectory = r.id ORDER BY x.number, x.at LIMIT 1) AS first"
    " FROM trajectories r JOIN turns t ON t.id = (SELECT id FROM turns"
    " WHERE trajectory = r.id ORDER BY number DESC, at DESC LIMIT 1)"
)


def trajectory_row(row: sqlite3.Row) -> TrajectoryRow:
    """Convert a row of the SQL query `LISTED` (a conversation with its newest turn) to a
    TrajectoryRow.
    """
    return TrajectoryRow(
        id=row["id"],
        client=row["client"],
        model=row["model"],
        turns=row["turns"],
        started=row["started"],
        last=row["last"],
        generation=row["generation"],
        skills=readable(row["skills"], _skills, ()),
        excluded=row["excluded_at"] is not None,
        title=_title(row["first"]),
        label=Label(row["label"]) if row["label"] else None,
        p_good=row["p_good"],
    )


def _title(message: str | None) -> str:
    """The title from a stored message: of one in several parts the last, because clients put what
    the model should know before the user's words.
    """
    parts = _message(message).parts if message else ()
    texts = [" ".join(part.text.split()) for part in parts if part.kind in SPOKEN]
    words = next((text for text in reversed(texts) if text), "")
    return words if len(words) <= TITLE_CHARACTERS else f"{words[: TITLE_CHARACTERS - 1].rstrip()}…"


def turn_row(
    connection: sqlite3.Connection, row: sqlite3.Row, known: set[str], *, most: int | None = None
) -> TurnRow:
    """Convert a database row to a turn (a request with its answer), and load its messages: all of
    its request, or the newest `most`.

    Messages whose links (hash of a message and all before it) are in `known` are left out of the
    request; the turn's own links are added to `known`.
    """
    new: list[Message] = []
    link = row["request_link"]
    while link and link not in known and (most is None or len(new) < most):
        found = connection.execute(
            "SELECT parent, message FROM messages WHERE link = ?", (link,)
        ).fetchone()
        if found is None:
            break
        known.add(link)
        new.append(_message(found["message"]))
        link = found["parent"]
    known.add(row["answer_link"])
    answer = connection.execute(
        "SELECT message FROM messages WHERE link = ?", (row["answer_link"],)
    ).fetchone()
    return TurnRow(
        id=row["id"],
        trajectory=row["trajectory"],
        number=row["number"],
        at=row["at"],
        route=row["route"],
        model=row["model"],
        base=row["base"],
        adapter=row["adapter"],
        generation=row["generation"],
        skills=readable(row["skills"], _skills, ()),
        sampling=readable(row["sampling"], _object, {}),
        request=tuple(reversed(new)),
        answer=_message(answer["message"] if answer else ""),
        finish=row["finish"],
        error=row["error"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        took_s=row["took_s"],
        note=row["note"],
        label=Label(row["label"]) if row["label"] else None,
        format=row["format"],
        tools=row["tools"],
    )


def shown_turn(connection: sqlite3.Connection, row: sqlite3.Row, known: set[str]) -> TurnRow:
    """Convert a row of the query `SHOWN` to a turn, as `turn_row` does, and add why skills were
    left out of its prompt.
    """
    return replace(turn_row(connection, row, known), why_skills=row["why_skills"] or "")


def _message(text: str) -> Message:
    """Parse a stored message; a damaged one becomes a placeholder."""
    try:
        return message_from_json(text)
    except (ValueError, KeyError, TypeError):
        return text_message(Role.ASSISTANT, DAMAGED)


def _skills(values: list[dict[str, object]]) -> tuple[InjectedSkill, ...]:
    return tuple(
        InjectedSkill(name=str(v["name"]), version=int(str(v["version"])), sha256=str(v["sha256"]))
        for v in values
    )


def position(row: sqlite3.Row) -> Position:
    """Convert a database row of a turn and its conversation to a Position (where the next request
    continues the conversation).
    """
    return Position(
        trajectory=row["id"],
        turns=row["number"],
        selection=readable(row["selection"], _selection, Selection()),
        suffixes=readable(row["suffixes"], _suffixes, ()),
        known=max(NOTHING_KNOWN, row["known"]),
        adapter=row["adapter"],
    )


def _selection(selection: dict[str, Any]) -> Selection:
    return Selection(
        skills=_skills(selection["skills"]),
        block=selection["block"],
        why=selection["why"],
        model_system=selection.get("model_system", ""),
        assignments=tuple(HoldoutAssignment(**one) for one in selection.get("flips", ())),
        learned=tuple(selection.get("learned", ())),
    )


def _suffixes(values: list[dict[str, Any]]) -> tuple[Suffix, ...]:
    return tuple(
        Suffix(
            message=s["message"],
            text=s["text"],
            skills=_skills(s["skills"]),
            head=bool(s.get("head", False)),
        )
        for s in values
    )


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


_STORED_NAMES: Final = {"assignments": "flips"}
"""Keys in the stored JSON of fields that had another name when they were first stored."""


def _fields(value: object) -> dict[str, object]:
    """Return a slotted value's fields, in order, for the JSON encoder."""
    fields: tuple[str, ...] = value.__slots__  # type: ignore[attr-defined]
    return {_STORED_NAMES.get(field, field): getattr(value, field) for field in fields}


_as_text = json.JSONEncoder(ensure_ascii=False, default=_fields).encode
as_json = json.JSONEncoder(default=_fields).encode
"""Encode a value, dataclasses with slots included, as ASCII JSON text."""


def selection_json(selection: Selection) -> str:
    """Return the JSON in which the skills chosen for a conversation's prompt are stored."""
    return without_surrogates(_as_text(selection))


def suffixes_json(suffixes: Sequence[Suffix]) -> str:
    """Return the JSON in which skills are stored that were added to a conversation's messages
    instead of the beginning of its prompt.
    """
    return _as_text(suffixes)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates in a text, which cannot be stored as UTF-8, with question marks."""
    return text if encodable(text) else text.encode(errors="replace").decode()
