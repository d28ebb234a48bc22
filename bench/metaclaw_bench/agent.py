"""Plays one day: a conversation about a workspace, round by round, with feedback after each answer.

The transcript opens as the day does; after the last round the feedback comes alone. What the model
did to the files is judged from outside, and of that nothing but the feedback's words reaches it.
For the bounds no feedback is given; some of them are told what it would have said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from bench.metaclaw_bench.data import Day, Round
from bench.metaclaw_bench.scoring import Scored, feedback, scored, stated
from bench.metaclaw_bench.workspace import Workspace
from bench.models.endpoint import Down, Endpoint, Message


class Form(StrEnum):
    """How the feedback on an answer is given."""

    LABELLED = "labelled"
    """As in MetaClaw-Bench: "[Previous Feedback] …" and the next question in one message."""
    OWN = "own message"
    """As people write: feedback in a message of its own, which is answered before the next
    question.
    """


class Bound(StrEnum):
    """What the model alone hears at the ends of the scale on which the conditions stand."""

    NOTHING = "hears nothing"
    """No rule is ever in its prompt: neither today's feedback nor anything from before."""
    SAID = "hears what was said"
    """All feedback that belongs to earlier rounds, of this day and of those before, is in the
    system text in the benchmark's own words, whether or not it was earned: a memory that misses
    nothing and knows nothing before it was said.
    """
    BEFOREHAND = "hears everything"
    """Each day begins with the feedback on all of its own rounds, too: what is in force that day
    is known before anybody has said it. No memory can do so.
    """


MOST_STEPS = 20
"""Most model answers in one round; stops a model that loops."""
FEEDBACK = "[Previous Feedback] "
TOOLS = """You work on files with the tools you are given. Paths are relative to the workspace. \
When you have done what was asked, say so in a sentence without calling a tool."""


def play(
    day: Day,
    endpoint: Endpoint,
    workspace: Workspace,
    *,
    identity: str,
    form: Form | Bound = Form.LABELLED,
    before: Sequence[Round] = (),
    played: Callable[[Round, Scored], None] = lambda asked, result: None,
) -> list[Scored]:
    """Play one day and return the score of every round; `played` is called after each round.
    `before`: the rounds of earlier days, for the bounds that are told of them.
    """
    messages: list[Message] = [_system(identity)]
    messages += [{"role": role, "content": text} for role, text in day.opening]
    results: list[Scored] = []
    said = ""
    for number, asked in enumerate(day.rounds):
        if form in (Bound.SAID, Bound.BEFOREHAND):
            today = day.rounds[:number] if form is Bound.SAID else day.rounds
            messages[0] = _system(identity, stated([*before, *today]))
        label = f"{FEEDBACK}{said}\n\n" if said and form is Form.LABELLED else ""
        messages.append({"role": "user", "content": f"{label}{asked.question}"})
        answer, steps, down = _worked(messages, endpoint, workspace)
        result = _judged(asked, day, workspace.home, answer, steps=steps, down=down)
        results.append(result)
        said = feedback(asked, result, answer)
        played(asked, result)
        if form is Form.OWN:
            messages.append({"role": "user", "content": said})
            _worked(messages, endpoint, workspace)
    if form is Form.LABELLED:
        messages.append({"role": "user", "content": f"{FEEDBACK}{said}"})
        _worked(messages, endpoint, workspace)
    return results


def _system(identity: str, told: str = "") -> Message:
    content = "\n\n".join(part for part in (identity, told, TOOLS) if part)
    return {"role": "system", "content": content}


def _worked(
    messages: list[Message], endpoint: Endpoint, workspace: Workspace
) -> tuple[str, int, str]:
    """Let the model work on one round; return (its last words, number of answers, error or ""). The
    transcript is extended in place.
    """
    for step in range(1, MOST_STEPS + 1):
        try:
            answer = endpoint.ask(messages, workspace.schemas())
        except Down as why:
            messages.append({"role": "assistant", "content": "(no answer)"})
            return "", step, str(why) or "no answer"
        messages.append(answer.message)
        if not answer.calls:
            return answer.text, step, ""
        for call in answer.calls:
            messages.append(endpoint.result(call, workspace.call(call.name, call.arguments)))
    messages.append({"role": "assistant", "content": "(stopped)"})
    return "", MOST_STEPS, ""


def _judged(asked: Round, day: Day, home: Path, answer: str, *, steps: int, down: str) -> Scored:
    if down:
        return Scored(
            day=day.id,
            round=asked.id,
            choice=asked.is_choice,
            score=0.0,
            exact=False,
            feasible=not asked.infeasible,
            crashed=True,
            steps=steps,
            wrong=down,
        )
    return scored(asked, day.id, home, answer, steps=steps)
