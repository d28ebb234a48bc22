"""What the store holds, in the JSON that CLI.md promises: one place, for socket and command line.

Keys are only ever added.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from lull.core.guard import Effect
from lull.core.messages import Message
from lull.core.skill import Library, Skill, SkillGeneration, SkillKey, SkillStatus
from lull.core.trajectory import InjectedSkill
from lull.loops.eligible import Judged
from lull.store.skills import HistoryRow
from lull.store.trajectories import TrajectoryRow, TurnRow

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
        "title": row.title,
        "label": row.label.value if row.label else None,
        "p_good": None if row.p_good is None else round(row.p_good, 4),
        "excluded": row.excluded,
    }


def _skills_named(skills: Sequence[InjectedSkill]) -> list[Json]:
    return [{"name": s.name, "version": s.version, "sha256": s.sha256} for s in skills]


def trajectory_view(
    row: TrajectoryRow, turns: Sequence[TurnRow], judged: Mapping[str, Judged]
) -> Json:
    views = [turn_view(turn, judged.get(turn.id)) for turn in turns]
    return {**conversation_view(row), "turns": views}


def turn_view(turn: TurnRow, judged: Judged | None) -> Json:
    """`judged` is None for a turn that was removed meanwhile."""
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
        **_judged(judged),
    }


def _judged(judged: Judged | None) -> Json:
    if judged is None:
        why = "it was removed"
        return {"reward": None, "signals": [], "support": False, "eligible": False, "why_not": why}
    reward = judged.reward.reward
    return {
        "reward": None
        if reward is None
        else {
            "value": reward.value,
            "p_good": round(reward.p_good, 4),
            "source": reward.source.value,
            "votes": [{"score": vote.score, "reason": vote.reason} for vote in reward.votes],
        },
        "signals": [
            {
                "kind": signal.kind.value,
                "source": signal.source.value,
                "value": signal.value,
                "text": signal.text,
            }
            for signal in judged.reward.signals
        ],
        "support": judged.support,
        "eligible": not judged.why_not,
        "why_not": judged.why_not or None,
    }


def message_view(message: Message) -> Json:
    return {"role": message.role.value, "text": message.text}


def _words(messages: Sequence[Message]) -> str:
    """The newest words of the request; the rest of it is under `messages`."""
    return next((m.text for m in reversed(messages) if m.text), "")


def skill_view(
    skill: Skill, uses: Mapping[SkillKey, int], effects: Mapping[SkillKey, Effect] | None = None
) -> Json:
    effect = (effects or {}).get(skill.key)
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version,
        "sha256": skill.sha256,
        "status": skill.status.value,
        "pinned": skill.pinned,
        "client": skill.client or None,
        "uses": uses.get(skill.key, 0),
        "effect": None
        if effect is None
        else {"value": effect.value, "low": effect.low, "high": effect.high, "n": effect.n},
        "body": skill.body,
    }


def skills_view(
    library: Library,
    uses: Mapping[SkillKey, int],
    effects: Mapping[SkillKey, Effect],
    *,
    client: str | None,
    everything: bool,
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
        "skills": [skill_view(skill, uses, effects) for skill in chosen],
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
