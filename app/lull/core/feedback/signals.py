"""Derives signals about an answer (evidence that it was good or bad) from what happened after it,
without asking a judge model.

*Verifiable* signals: the results of the answer's own tool calls, and whether it is the JSON that
was asked for. *Implicit* signals: the answer was asked for again, or the user's next message says
something about it. An environment fault (a time-out, a full disk) is looked for first, and no
answer is blamed for one. Silence, and the end of a conversation, are no signals.

Callers must pass the text that the user typed, without tool results and without anything that Lull
added: if an injected skill were taken for the user's words, the skill would correct itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.chat.messages import Message, PartKind, Role, ToolCall
from lull.core.checks.check import FitsSchema
from lull.core.checks.shapes import no_number
from lull.core.feedback.environment_faults import environment_fault as environment_fault  # noqa: PLC0414  callers find it here
from lull.core.feedback.feedback import MessageFindings
from lull.core.feedback.reward import Source
from lull.core.feedback.tool_results import outcome


class SignalKind(StrEnum):
    """The kinds of evidence for how good an answer was."""

    TEST_RESULT = "test-result"
    TOOL_RESULT = "tool-result"
    SCHEMA = "schema"
    CHECK = "check"
    """The outcome of a check made from the user's own words."""
    RATING = "rating"
    CORRECTION = "correction"
    REGENERATION = "regeneration"
    THANKS = "thanks"
    ENVIRONMENT = "environment"
    """An environment fault; recorded to be shown, and worth 0."""


YOU_SAID: Final = "you said: "
"""Prefix of a signal's text that quotes the user's verdict on an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One piece of evidence for how good an answer was."""

    kind: SignalKind
    source: Source
    value: float
    """Value from -1 (bad) to 1 (good)."""
    text: str
    """A description of the signal for people: the user's own words, a test's summary line, or a
    fault's cause.
    """

    def __post_init__(self) -> None:
        if not -1.0 <= self.value <= 1.0:
            raise ValueError(f"a signal is between -1 and 1, not {self.value}")


THANKS_VALUE: Final = 0.5
"""Signal value of thanks; less than 1, because people also thank out of courtesy."""
EXIT_ZERO_VALUE: Final = 0.5
"""Signal value of exit code 0, which shows that a command ran, not that it was the right one; a
passed test counts 1.
"""
ASKED_AGAIN_VALUE: Final = -0.5
"""Signal value of asking the same again, which may be mere curiosity."""


def from_feedback(findings: MessageFindings, said: str) -> tuple[Signal, ...]:
    """Return the signal about an answer (correction or thanks) that a reader model found in the
    user's next message, with the user's words as text; at most one.
    """
    if findings.corrects:
        return (_implicit(SignalKind.CORRECTION, -1.0, said),)
    if findings.thanked:
        return (_implicit(SignalKind.THANKS, THANKS_VALUE, said),)
    return ()


def _implicit(kind: SignalKind, value: float, text: str) -> Signal:
    return Signal(kind=kind, source=Source.IMPLICIT, value=value, text=text)


# -- asked again -------------------------------------------------------------------------------


def regenerated(asked: str) -> Signal:
    """Build the signal that the user was unhappy with an answer and had the model answer again;
    `asked` says in words how the user did so.
    """
    return _implicit(SignalKind.REGENERATION, ASKED_AGAIN_VALUE, asked)


# -- tools -------------------------------------------------------------------------------------


def from_tools(after: Sequence[Message], *, answer: Message | None = None) -> tuple[Signal, ...]:
    """Return the signals about an answer from the results of its own tool calls, one for each
    conclusive result.

    `after` are the messages after the answer, oldest first; only results up to the next answer are
    read. If `answer` is given, each result is judged together with its call: showing a file is
    neither success nor failure, and a search without hits has not failed. An environment fault
    gives a signal of kind ENVIRONMENT with value 0.
    """
    signals: list[Signal] = []
    for call, result in _results(answer, after):
        seen = outcome(call, result)
        if seen is None or seen.ok:
            if seen is not None:
                signals.append(
                    _seen(seen.tested, 1.0 if seen.tested else EXIT_ZERO_VALUE, seen.text)
                )
        elif cause := environment_fault(result):
            signals.append(fault_signal(cause))
        else:
            signals.append(_seen(seen.tested, -1.0, seen.text))
    return tuple(signals)


def fault_signal(cause: str) -> Signal:
    """Build the signal for an environment fault such as a time-out, which blames no answer; `cause`
    says in words what went wrong, as `environment_fault` returns it.
    """
    return Signal(
        kind=SignalKind.ENVIRONMENT,
        source=Source.VERIFIABLE,
        value=0.0,
        text=f"Not the answer's fault: {cause}.",
    )


def _seen(tested: bool, value: float, text: str) -> Signal:
    kind = SignalKind.TEST_RESULT if tested else SignalKind.TOOL_RESULT
    return Signal(kind=kind, source=Source.VERIFIABLE, value=value, text=text)


def _any_results(message: Message) -> bool:
    return any(part.kind is PartKind.TOOL_RESULT for part in message.parts)


def _results(answer: Message | None, after: Sequence[Message]) -> Iterator[tuple[ToolCall, str]]:
    """Return each tool call of the answer with its result, matched by id, by name, or else in
    order.
    """
    open_calls = list(answer.tool_calls) if answer else []
    for message in after:
        if message.role is Role.ASSISTANT:
            return
        if message.role is not Role.TOOL and not _any_results(message):
            continue
        texts = [p.text for p in message.parts if p.kind in (PartKind.TOOL_RESULT, PartKind.TEXT)]
        if message.role is not Role.TOOL:
            texts = [p.text for p in message.parts if p.kind is PartKind.TOOL_RESULT]
        for number, text in enumerate(texts):
            if answer is None:
                yield ToolCall(name="", arguments=""), text
                continue
            call = _answered(open_calls, message.tool_call_id if number == 0 else "")
            if call is None:
                break
            open_calls.remove(call)
            yield call, text


def _answered(calls: Sequence[ToolCall], key: str) -> ToolCall | None:
    if not key:
        return calls[0] if calls else None
    by_id = (call for call in calls if call.id and call.id == key)
    # Ollama's own protocol has only the name
    by_name = (call for call in calls if call.name == key)
    return next(by_id, None) or next(by_name, None)


# -- format ------------------------------------------------------------------------------------


def from_format(format_json: str, answer: str, fits: FitsSchema) -> tuple[Signal, ...]:
    """Return one signal saying whether a model's answer is the JSON that the request asked for;
    none if no format was asked for or this is unclear.

    `fits` validates a value against a schema. `format_json` is `ChatRequest.format`: the word json,
    a JSON schema, or an OpenAI response_format. Pass only complete text answers: a tool call is not
    JSON text, and a truncated answer was cut off by a limit.
    """
    schema = _schema(format_json)
    if schema is None or not answer.strip():
        return ()
    try:
        value = json.loads(answer, parse_constant=no_number)
    except RecursionError:
        return ()
    except ValueError:
        return _schema_signal(-1.0, "The answer is not the JSON that was asked for.")
    fit = fits(schema, value)
    if fit is None:
        return ()
    if fit:
        return _schema_signal(1.0, "The answer fits the format that was asked for.")
    return _schema_signal(-1.0, "The answer does not fit the format that was asked for.")


def _schema_signal(value: float, text: str) -> tuple[Signal, ...]:
    return (Signal(kind=SignalKind.SCHEMA, source=Source.VERIFIABLE, value=value, text=text),)


def _schema(format_json: str) -> object:
    """Return the JSON schema that a requested format asks for; True for any JSON, None for none."""
    text = format_json.strip()
    if text in ("json", "json_object"):
        return True
    try:
        wanted = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    if isinstance(wanted, str):
        return True if wanted in ("json", "json_object") else None
    if not isinstance(wanted, dict) or not wanted:
        return None
    kind = wanted.get("type")
    if kind == "json_object":
        return {"type": "object"}
    if kind == "json_schema":
        inner = wanted.get("json_schema")
        holder = inner if isinstance(inner, dict) else wanted
        return holder.get("schema")
    return None if kind == "text" else wanted
