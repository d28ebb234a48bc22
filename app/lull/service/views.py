"""What the store holds, in the JSON that CLI.md promises: one place, for socket and command line.

Keys are only ever added.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from lull.core.messages import Message
from lull.core.skill import Library, Skill, SkillGeneration, SkillKey, SkillStatus
from lull.core.trajectory import InjectedSkill
from lull.store.skills import HistoryRow
from lull.store.trajectories import Label, TrajectoryRow, TurnRow

Json = dict[str, Any]


def conversations_view(rows: Sequence[TrajectoryRow], following: str) -> Json:
    return {
        "conversations": [conversation_view(row) for row in rows],
        "next": following or None,
    }


def conversation_view(row: TrajectoryRow) -> Json:
    return {
        "id": row.id,
        "client": row.client,
        "model": row.model,
        "turns": row.turns,
        "started": row.started,
        "last": row.last,
        "generation": row.generation,
        "skills": _skills_named(row.skills),
    }


def _skills_named(skills: Sequence[InjectedSkill]) -> list[Json]:
    return [{"name": s.name, "version": s.version, "sha256": s.sha256} for s in skills]


def trajectory_view(row: TrajectoryRow, turns: Sequence[TurnRow]) -> Json:
    return {**conversation_view(row), "turns": [turn_view(turn) for turn in turns]}


def turn_view(turn: TurnRow) -> Json:
    return {
        "id": turn.id,
        "conversation": turn.trajectory,
        "at": turn.at,
        "number": turn.number,
        "route": turn.route,
        "policy": {
            "model": turn.model,
            "base": turn.base,
            "adapter": turn.adapter,
            "generation": turn.generation,
        },
        "skills": _skills_named(turn.skills),
        "sampling": turn.sampling,
        "request": _words(turn.request),
        "messages": [message_view(message) for message in turn.request],
        "answer": turn.answer.text,
        "tool_calls": [
            {"name": call.name, "arguments": call.arguments} for call in turn.answer.tool_calls
        ],
        "complete": turn.complete,
        "finish": turn.finish,
        "why_incomplete": turn.error or None,
        "usage": {
            "prompt_tokens": turn.prompt_tokens,
            "completion_tokens": turn.completion_tokens,
        },
        "took_s": round(turn.took_s, 4),
        "note": turn.note or None,
        "label": turn.label.value if turn.label else None,
        "reward": _reward(turn),
        "signals": _signals(turn),
        "support": False,
        **_eligible(turn),
    }


def _reward(turn: TurnRow) -> Json | None:
    if turn.label is None:
        return None
    good = turn.label is Label.GOOD
    return {
        "value": 1.0 if good else -1.0,
        "p_good": 1.0 if good else 0.0,
        "source": "explicit",
    }


def _signals(turn: TurnRow) -> list[Json]:
    if turn.label is None:
        return []
    return [{"kind": "explicit", "name": "rating", "value": turn.label.value}]


def _eligible(turn: TurnRow) -> Json:
    """Nothing may train weights before turns are scored; say which condition fails."""
    why = "not scored yet" if turn.complete else "the answer is incomplete"
    return {"eligible": False, "why_not": why}


def message_view(message: Message) -> Json:
    return {"role": message.role.value, "text": message.text}


def _words(messages: Sequence[Message]) -> str:
    """The newest words of the request; the rest of it is under `messages`."""
    return next((m.text for m in reversed(messages) if m.text), "")


def skill_view(skill: Skill, uses: Mapping[SkillKey, int]) -> Json:
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version,
        "sha256": skill.sha256,
        "status": skill.status.value,
        "pinned": skill.pinned,
        "client": skill.client or None,
        "uses": uses.get(skill.key, 0),
        "effect": None,
        "body": skill.body,
    }


def skills_view(
    library: Library, uses: Mapping[SkillKey, int], *, client: str | None, everything: bool
) -> Json:
    """Active and disabled skills; with `everything` the archived ones, too."""
    chosen = [
        skill
        for key, skill in sorted(library.skills.items())
        if (client is None or key.client == client)
        and (everything or skill.status is not SkillStatus.ARCHIVED)
    ]
    return {
        "generation": library.generation,
        "skills": [skill_view(skill, uses) for skill in chosen],
    }


def history_view(rows: Sequence[HistoryRow]) -> Json:
    return {
        "history": [
            {
                "generation": row.generation,
                "at": row.at,
                "change": row.change,
                "detail": row.detail,
                "version": row.version,
                "sha256": row.sha256,
                "status": row.status.value,
                "pinned": row.pinned,
            }
            for row in rows
        ]
    }


def generations_view(rows: Sequence[SkillGeneration]) -> Json:
    return {
        "history": [
            {
                "generation": row.number,
                "at": row.at.isoformat(),
                "change": row.change.value,
                "detail": row.detail,
            }
            for row in reversed(rows)
        ]
    }


def diff_view(before: bytes, after: bytes, *, old: str, new: str) -> Json:
    lines = difflib.unified_diff(
        before.decode().splitlines(), after.decode().splitlines(), old, new, lineterm=""
    )
    return {"from": old, "to": new, "diff": "\n".join(lines)}
