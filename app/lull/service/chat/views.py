"""Builds the JSON of conversations and of the requests and answers in them, which the control API
and `lull … --json` return.

New versions of Lull only add keys to this JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lull.contract.json_object import Json
from lull.core.chat.messages import Message, Role
from lull.core.chat.trajectory import InjectedSkill
from lull.core.feedback.signals import YOU_SAID, Signal
from lull.core.text.coded_text import coded, coded_text
from lull.loops.feedback.verify import is_from_wish
from lull.loops.training.eligible import TurnEligibility
from lull.store.chat.corrections import CORRECTION_ROUTE
from lull.store.chat.trajectories import TrajectoryRow, TurnRow


def conversations_view(rows: Sequence[TrajectoryRow], following: str) -> Json:
    """Return the JSON of a page of conversations; `following` says where the next page starts, ""
    if there is none.
    """
    return {
        "conversations": [conversation_view(row) for row in rows],
        "next": following or None,
    }


def conversation_view(row: TrajectoryRow) -> Json:
    """Return the JSON that the control API shows of a conversation in a list."""
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
    row: TrajectoryRow, turns: Sequence[TurnRow], judged: Mapping[str, TurnEligibility]
) -> Json:
    """Return the JSON that the control API shows of a conversation with all its turns."""
    views = [turn_view(turn, judged.get(turn.id)) for turn in turns]
    return {**conversation_view(row), "turns": views}


def turn_view(turn: TurnRow, judged: TurnEligibility | None) -> Json:
    """Return the JSON of a turn (a recorded request with its answer).

    `judged` is the judgement of how good the answer was; None if the turn was deleted meanwhile.
    `corrects` says that there is no answer, because the user said this in Lull's window about the
    answer with the same number.
    """
    return {
        "id": turn.id,
        "conversation": turn.trajectory,
        "at": turn.at,
        "number": turn.number,
        "route": turn.route,
        "corrects": turn.route == CORRECTION_ROUTE,
        "policy": {
            "model": turn.model,
            "base": turn.base,
            "adapter": turn.adapter,
            "generation": turn.generation,
        },
        "skills": _skills_named(turn.skills),
        "why_skills": turn.why_skills or None,
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


def _judged(judged: TurnEligibility | None) -> Json:
    if judged is None:
        why = coded_text("turn-removed", "it was removed")
        none: Json = {"reward": None, "signals": [], "support": False, "eligible": False}
        return {**none, "why_not": why, **coded(why, "why_not_")}
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
                **signal_text_view(signal),
            }
            for signal in judged.reward.signals
        ],
        "support": judged.support,
        "eligible": not judged.why_not,
        "why_not": judged.why_not or None,
        **coded(judged.why_not, "why_not_"),
    }


def signal_text_view(signal: Signal) -> Json:
    """Return the JSON of a signal's text (why an answer counts as good or bad), with its code if it
    quotes a wish of the user.
    """
    if not is_from_wish(signal):
        return {"text": signal.text}
    text = coded_text("signal-wish", "you said: %1", signal.text.removeprefix(YOU_SAID))
    return {"text": text, **coded(text)}


def message_view(message: Message) -> Json:
    """Return the JSON that the control API shows of a chat message."""
    return {"role": message.role.value, "text": message.text}


def _words(messages: Sequence[Message]) -> str:
    """Return the newest text of a request that is no system text, for some clients send one behind
    the user's words; the whole request is under `messages`.
    """
    texts = [m for m in reversed(messages) if m.text]
    return next(
        (m.text for m in texts if m.role is not Role.SYSTEM), texts[0].text if texts else ""
    )
