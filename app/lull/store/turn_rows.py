"""Rows of the trajectory tables as values, and back: what was stored, in the core's own nouns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lull.core.chain import encodable, message_from_json
from lull.core.messages import Message, Role, Sampling, text_message
from lull.core.trajectory import NOTHING_KNOWN, CoinFlip, InjectedSkill, Selection, Suffix

DAMAGED = "⟨this message cannot be read⟩"
TITLE: Final = 120
"""Characters."""


class Label(StrEnum):
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryRow:
    id: str
    client: str
    model: str
    turns: int
    started: str
    last: str
    generation: int
    """Of the newest turn."""
    skills: tuple[InjectedSkill, ...]
    """In the prompt of the newest turn."""
    excluded: bool = False
    """The user keeps it out of learning."""
    title: str = ""
    """How its first request begins."""
    label: Label | None = None
    """The user's own, of its turns; bad where they were given both."""
    p_good: float | None = None
    """The mean over its scored turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a request stands: the trajectory it continues and what that one had injected."""

    trajectory: str
    turns: int
    selection: Selection
    suffixes: tuple[Suffix, ...]
    known: int
    """The generation up to which skills were looked up; NOTHING_KNOWN: none was yet."""
    adapter: str | None = None
    """Version that answered the last turn; None: the base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One stored turn as a person may read it; texts are redacted."""

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
    """What was new in this request, oldest first."""
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
    """The mark of the tools that were offered."""

    @property
    def complete(self) -> bool:
        return self.finish not in ("hangup", "error")

    @property
    def asked_sampling(self) -> Sampling:
        """What the client asked for; the seed too."""
        return Sampling(**{**self.sampling, "stop": tuple(self.sampling.get("stop", ()))})


# A trajectory as it stood at one turn: select this, and `position` reads it.
STANDING = (
    "SELECT r.id, r.selection, t.number, t.suffixes, t.adapter,"
    " coalesce(t.known, r.generation) AS known"
    " FROM turns t JOIN trajectories r ON r.id = t.trajectory"
)


# A trajectory and what its newest turn was served with: select this for `trajectory_row`.
LISTED = (
    "SELECT r.id, r.client, r.model, r.turns, r.started, r.last, r.excluded_at,"
    " t.generation, t.skills,"
    " (SELECT min(label) FROM turns WHERE trajectory = r.id) AS label,"
    " (SELECT avg(w.p_good) FROM turns x JOIN rewards w ON w.turn = x.id"
    " WHERE x.trajectory = r.id) AS p_good,"
    " (SELECT m.message FROM turns x JOIN messages m ON m.link = x.request_link"
    " WHERE x.trajectory = r.id ORDER BY x.number, x.at LIMIT 1) AS first"
    " FROM trajectories r JOIN turns t ON t.id = (SELECT id FROM turns"
    " WHERE trajectory = r.id ORDER BY number DESC, at DESC LIMIT 1)"
)


def trajectory_row(row: sqlite3.Row) -> TrajectoryRow:
    return TrajectoryRow(
        id=row["id"],
        client=row["client"],
        model=row["model"],
        turns=row["turns"],
        started=row["started"],
        last=row["last"],
        generation=row["generation"],
        skills=_skills(json.loads(row["skills"])),
        excluded=row["excluded_at"] is not None,
        title=_title(row["first"]),
        label=Label(row["label"]) if row["label"] else None,
        p_good=row["p_good"],
    )


def _title(message: str | None) -> str:
    words = " ".join(_message(message).text.split()) if message else ""
    return words if len(words) <= TITLE else f"{words[: TITLE - 1].rstrip()}…"


def turn_row(connection: sqlite3.Connection, row: sqlite3.Row, known: set[str]) -> TurnRow:
    new: list[Message] = []
    link = row["request_link"]
    while link and link not in known:
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
        skills=_skills(json.loads(row["skills"])),
        sampling=json.loads(row["sampling"]),
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


def _message(text: str) -> Message:
    """One damaged row must not hide the rest of a conversation."""
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
    selection = json.loads(row["selection"])
    return Position(
        trajectory=row["id"],
        turns=row["number"],
        selection=Selection(
            skills=_skills(selection["skills"]),
            block=selection["block"],
            why=selection["why"],
            model_system=selection.get("model_system", ""),
            flips=tuple(CoinFlip(**flip) for flip in selection.get("flips", ())),
            learned=tuple(selection.get("learned", ())),
        ),
        suffixes=tuple(
            Suffix(message=s["message"], text=s["text"], skills=_skills(s["skills"]))
            for s in json.loads(row["suffixes"])
        ),
        known=max(NOTHING_KNOWN, row["known"]),
        adapter=row["adapter"],
    )


def _fields(value: object) -> dict[str, object]:
    """A noun's fields, in their order; the encoder comes back for nouns inside it."""
    return {field: getattr(value, field) for field in value.__slots__}  # type: ignore[attr-defined]


_readable = json.JSONEncoder(ensure_ascii=False, default=_fields).encode
as_json = json.JSONEncoder(default=_fields).encode
"""Nouns with slots and plain values as a JSON text in ASCII."""


def selection_json(selection: Selection) -> str:
    return plain(_readable(selection))


def suffixes_json(suffixes: Sequence[Suffix]) -> str:
    return _readable(suffixes)


def plain(text: str) -> str:
    """Half of a surrogate pair cannot be stored; a question mark stands for it."""
    return text if encodable(text) else text.encode(errors="replace").decode()
