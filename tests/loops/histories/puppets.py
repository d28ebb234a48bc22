"""Scripted models that speak the pocket language: one answers, one judges, one reads, one writes.

They stand in for real ones where hundreds of histories are played: the policy obeys the rules that
it reads in its prompt, so that a proof really finds out whether a skill helps; the judge knows what
the user said they wanted; the writer says what the history tells it to say, hostile things too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    Role,
    Sampling,
    ToolCall,
    text_message,
)
from lull.core.errors import UpstreamDown
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.reader import parse_feedback
from tests.doubles.fake_chat_model import FakeChatModel, complete
from tests.doubles.fakes import FakeClock
from tests.doubles.scripted_endpoint import hostile_skills
from tests.doubles.word_reader import heard_in

_BLOCK = re.compile(r"<skills>(.*?)</skills>", re.DOTALL)
USES_A_TOOL = "run the tests"
ANSWER_S = 5.0
"""Seconds that an answer takes, so that a slice of half a minute holds three pairs."""


def answer_to(messages: Sequence[Message], *, system_only: bool, seed: int | None = None) -> str:
    """The policy's answer: the request in the style of the last rule about its kind. Under some
    seeds it obeys no rule.
    """
    newest = next((m.text for m in reversed(messages) if m.role is Role.USER), "")
    said = _BLOCK.sub("", newest).strip()
    asked = parsing.parse_request(said)
    if asked is None:
        return "noted." if parsing.parse_rule(said) else "hello."
    kind, words = asked
    style = pocket.Style()
    for rule in _rules(messages, system_only=system_only):
        if rule[0] is kind:
            style = rule[1]
    if seed is not None and _draw(str(seed), said) < 0.1:
        style = pocket.Style()
    return pocket.render(kind, words, style)


def _rules(
    messages: Sequence[Message], *, system_only: bool
) -> Iterable[tuple[pocket.Kind, pocket.Style]]:
    for message in messages:
        if message.role is Role.SYSTEM or (message.role is Role.USER and not system_only):
            for found in _BLOCK.findall(message.text):
                rules = (parsing.parse_rule(line) for line in found.splitlines())
                yield from (rule for rule in rules if rule is not None)


def _draw(*texts: str) -> float:
    """A pseudorandom number from 0 up to 1, always the same for the same texts."""
    return int.from_bytes(hashlib.sha256("\0".join(texts).encode()).digest()[:6], "big") / 2**48


def completion_of(messages: Sequence[Message], *, system_only: bool) -> Completion:
    """The policy's answer to a client; a tool call where one was asked for."""
    if messages[-1].role is Role.USER and messages[-1].text.startswith(USES_A_TOOL):
        call = ToolCall(name="shell", arguments='{"command":"pytest"}')
        said = Message(role=Role.ASSISTANT, tool_calls=(call,))
        return Completion(message=said, finish=Finish.TOOL_CALLS)
    return complete(answer_to(messages, system_only=system_only))


@dataclass(slots=True)
class Policy:
    """Implements core.ports.ChatModel and keeps every prompt that it was given."""

    name: str
    clock: FakeClock
    system_only: bool
    prompts: list[str] = field(default_factory=list)

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002  the port's own word
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        self.clock.advance(ANSWER_S)
        self.prompts.append("\n".join(message.text for message in messages))
        said = answer_to(messages, system_only=self.system_only, seed=sampling.seed)
        return complete(said)


@dataclass(slots=True)
class Referee:
    """Implements core.ports.Judge: decides a wish by its rule, all else by a repeatable draw."""

    version: str = "referee-1"
    gone: bool = False

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        if self.gone:
            raise UpstreamDown("The judge does not answer.")
        score = self._score(question)
        return () if score is None else (Vote(score=score, reason="so it is"),) * 3

    def _score(self, question: JudgeQuestion) -> int | None:
        asked = next((m.text for m in reversed(question.messages) if m.role is Role.USER), "")
        answer = question.answer.text
        if question.asks is QuestionKind.PAIR:
            return 1 if answer == question.reference else 0
        if question.asks is QuestionKind.TURN:
            return (-1, 0, 1, None)[int(4 * _draw(asked, answer))]
        does = [parsing.check(line, asked, answer) for line in question.wish.splitlines()]
        told = [one for one in does if one is not None]
        better = told[-1] if told else _draw(asked, answer, "wish") < 0.5
        return 1 if better else -1


@dataclass(slots=True)
class Ear:
    """Implements core.feedback.ports.FeedbackReader: knows the pocket language and a few words."""

    name: str = "ear-1"
    light: bool = False

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        return [parse_feedback(one.said) or heard_in(one.said) for one in exchanges]


def draft(kind: pocket.Kind, mark: str) -> dict[str, object]:
    """A skill's draft as a model writes it; the mark distinguishes its text from every other."""
    return {
        "name": f"{kind}-written",
        "description": f"When a {kind} is asked for.",
        "body": f"For a {kind}, use pluses.\nMark {mark}.",
    }


def hostile(mark: str) -> list[dict[str, object]]:
    return [
        {**skill, "body": f"{skill['body']}\nMark {mark}."} for skill in hostile_skills().values()
    ]


def writer() -> FakeChatModel:
    """A chat model that gives the answers that a step has put into `answers`."""
    return FakeChatModel("nothing yet", name="writer")


def user(text: str) -> Message:
    return text_message(Role.USER, text)
