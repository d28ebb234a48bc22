"""The judge (process reward model): a chat model that is asked several times whether an answer was
good.

All conversation text is shown as data between unforgeable marker lines. A reply counts as a vote
only if it is exactly the requested JSON object; anything else is no vote, not a zero. Votes are
combined to a reward elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lull.backends.chat.json_answers import ask_for_json, only_object
from lull.backends.chat.untrusted_blocks import (
    BlockMarks,
    clip_middle,
    drawn_seed,
    make_block_marks,
    message_as_text,
    render_conversation,
)
from lull.core.chat.messages import Message, Role, Sampling, text_message
from lull.core.chat.ports import ChatModel
from lull.core.errors import UpstreamDown
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import LEAST_VOTES, Vote
from lull.core.ports import RandomNumbers
from lull.resources import prompt

RULES: Final = 1
"""Version of the code that builds the judge's questions and parses its votes.

Raise it when that code changes: the judge's own version is a hash of it and of the prompts.
"""
ROOM_TOKENS: Final = 2_200
"""Most tokens of conversation and answers that the judge is shown.

With prompt and answer it fits Ollama's smallest default window of 4,096, where an overflow would
silently cut half of the prompt.
"""
ANSWER_TOKENS: Final = 900
"""Most tokens of the judge's answer. Two sentences give the reason.

The rest is for a model that thinks first.
"""
LAST_MESSAGES: Final = 8
"""Most messages of the conversation that the judge is shown."""
LONGEST_REASON: Final = 500
"""Most characters kept of the judge's reason."""


def _schema(key: str, values: list[Any], kind: str) -> dict[str, Any]:
    """Build an answer schema with the reason first, so the score follows from it."""
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, key: {"type": kind, "enum": values}},
        "required": ["reason", key],
        "additionalProperties": False,
    }


SCORE: Final = _schema("score", [-1, 0, 1], "integer")
BETTER: Final = _schema("better", ["A", "B", "same"], "string")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompts:
    """The system prompts for the judge, a chat model that rates answers."""

    turn: str
    wish: str
    pair: str

    @classmethod
    def shipped(cls) -> JudgePrompts:
        """Load the judge model's system prompts that ship with Lull. Raises ResourceError."""
        return cls(turn=prompt("judge-turn"), wish=prompt("judge-wish"), pair=prompt("judge-pair"))


class LlmJudge:
    """A chat model that rates answers; implements the `Judge` port."""

    def __init__(
        self,
        model: ChatModel,
        *,
        coin: RandomNumbers,
        prompts: JudgePrompts,
        votes: int = 3,
        temperature: float = 0.6,
    ) -> None:
        """Create the judge; `coin` draws seeds and the random codes in the marker lines around
        untrusted text.

        Votes are requested one after another, because a local server handles one request at a time
        and reuses its prompt cache.
        """
        self._model = model
        self._coin = coin
        self._prompts = prompts
        self._votes = votes
        self._temperature = temperature
        rules = [prompts.turn, prompts.wish, prompts.pair, SCORE, BETTER, votes, temperature]
        digest = hashlib.sha256(json.dumps([RULES, ROOM_TOKENS, *rules]).encode()).hexdigest()
        self.version = f"{model.name} judge-{digest[:12]}"

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        if not _can_be_asked(question):
            return ()
        if question.asks is QuestionKind.PAIR and _is_the_same(question):
            return (
                Vote(score=1, reason="It is the accepted answer, word for word."),
            ) * self._votes
        marks = make_block_marks(self._coin, _texts(question))
        seed = drawn_seed(self._coin)
        votes: list[Vote] = []
        for number in range(self._votes):
            try:
                vote = await self._vote(question, marks, seed + number)
            except UpstreamDown:
                if len(votes) >= LEAST_VOTES:
                    break  # the votes so far are enough
                raise
            if vote is not None:
                votes.append(vote)
        return tuple(votes)

    async def _vote(self, question: JudgeQuestion, marks: BlockMarks, seed: int) -> Vote | None:
        if question.asks is QuestionKind.PAIR:
            return await self._paired(question, marks, seed)
        if question.asks is QuestionKind.TURN:
            text, told = _turn(question, marks), self._prompts.turn
        else:
            text, told = _wish(question, marks), self._prompts.wish
        return read_vote(await self._asked(told, text, SCORE, seed), shown=text)

    async def _paired(self, question: JudgeQuestion, marks: BlockMarks, seed: int) -> Vote | None:
        """Compare two answers blindly and in both orders, which cancels position bias."""
        answer = message_as_text(question.answer)
        orders = ((answer, question.reference), (question.reference, answer))
        better: list[str] = []
        reasons: list[str] = []
        for first, second in orders:
            text = _pair(question, marks, first, second)
            said = await self._asked(self._prompts.pair, text, BETTER, seed)
            choice = read_choice(said, shown=text)
            if choice is None:
                return None
            better.append(choice[0])
            reasons.append(choice[1])
        score = combine_comparisons(better[0], better[1])
        return Vote(score=score, reason=" / ".join(dict.fromkeys(reasons)))

    async def _asked(self, told: str, text: str, schema: Mapping[str, Any], seed: int) -> str:
        """Ask the model once; return its answer, "" if that broke off."""
        done = await ask_for_json(
            self._model,
            (text_message(Role.SYSTEM, told), text_message(Role.USER, text)),
            sampling=Sampling(temperature=self._temperature, seed=seed, max_tokens=ANSWER_TOKENS),
            schema=schema,
        )
        return done.message.text if done.complete else ""


# -- reading a vote ----------------------------------------------------------------------------


def read_vote(reply: str, *, shown: str) -> Vote | None:
    """Parse a judge model's vote on an answer from its reply.

    None if the reply is not exactly one vote, or is quoted from `shown`, the text that the judge
    was given.
    """
    value = _verdict(reply, "score", shown)
    if value is None or type(value["score"]) is not int or value["score"] not in (-1, 0, 1):
        return None
    return Vote(score=value["score"], reason=_short(value["reason"]))


def read_choice(reply: str, *, shown: str) -> tuple[str, str] | None:
    """Parse which of two answers a judge model prefers: ("A", "B" or "same", reason).

    None if its reply is not exactly one choice, or is quoted from `shown`, the text that the
    judge was given.
    """
    value = _verdict(reply, "better", shown)
    if value is None or value["better"] not in ("A", "B", "same"):
        return None
    return value["better"], _short(value["reason"])


def combine_comparisons(first: str, second: str) -> int:
    """Combine two comparisons into one vote (1, 0 or -1) on an answer: a judge model compared it
    twice, in both orders, with an answer that had been accepted.

    In `first` the judged answer was A, in `second` it was B. The vote is 1 if the judged answer was
    at least as good as the accepted one in both orders, -1 if worse in both, 0 if that depends on
    the order.
    """
    as_first = {"A": 1, "same": 0, "B": -1}[first]
    as_second = {"B": 1, "same": 0, "A": -1}[second]
    if min(as_first, as_second) >= 0:
        return 1
    return -1 if max(as_first, as_second) < 0 else 0


def _verdict(said: str, key: str, shown: str) -> dict[str, Any] | None:
    try:
        value = only_object(said)
    except ValueError:
        return None
    if set(value) != {"reason", key} or not isinstance(value["reason"], str):
        return None
    # A verdict that appears verbatim in the material is a quotation.
    quoted = _tight(said[said.find("{") : said.rfind("}") + 1]) in _tight(shown)
    return None if quoted else value


def _tight(text: str) -> str:
    return "".join(text.split())


def _short(reason: str) -> str:
    """Make a reason safe to show: one line without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    return line[:LONGEST_REASON]


# -- what the judge sees -----------------------------------------------------------------------


def _can_be_asked(question: JudgeQuestion) -> bool:
    match question.asks:
        case QuestionKind.WISH:
            return bool(question.wish.strip())
        case QuestionKind.PAIR:
            return bool(question.reference.strip())
    return True


def _is_the_same(question: JudgeQuestion) -> bool:
    calls = question.answer.tool_calls
    return not calls and question.answer.text.strip() == question.reference.strip()


def _texts(question: JudgeQuestion) -> list[str]:
    messages = (*question.messages, question.answer, *question.results)
    return [question.followup, question.wish, question.reference, *map(message_as_text, messages)]


def _turn(question: JudgeQuestion, marks: BlockMarks) -> str:
    followup = question.followup.strip()
    behind = _share(followup, 0.15) if followup else "(nothing yet)"
    return "\n\n".join(
        (
            _before(question, marks, 0.4),
            *_answered(question, marks, 0.3),
            marks.block("the user's next message", behind),
            "Score the answer.",
        )
    )


def _wish(question: JudgeQuestion, marks: BlockMarks) -> str:
    return "\n\n".join(
        (
            _before(question, marks, 0.35),
            marks.block("what the user said they want", _share(question.wish, 0.2)),
            *_answered(question, marks, 0.3),
            "Does the answer do what the user said they want?",
        )
    )


def _pair(question: JudgeQuestion, marks: BlockMarks, first: str, second: str) -> str:
    return "\n\n".join(
        (
            _before(question, marks, 0.4),
            marks.block("answer A", _share(first, 0.3)),
            marks.block("answer B", _share(second, 0.3)),
            "Which answer is better?",
        )
    )


def _before(question: JudgeQuestion, marks: BlockMarks, share: float) -> str:
    most = int(ROOM_TOKENS * share)
    return marks.block(
        "the conversation", render_conversation(marks, question.messages, most, LAST_MESSAGES)
    )


def _answered(question: JudgeQuestion, marks: BlockMarks, share: float) -> list[str]:
    blocks = [
        marks.block("the answer", _share(message_as_text(question.answer), share) or "(nothing)")
    ]
    if question.results:
        brought = _named_results(question.answer, question.results)
        blocks.append(marks.block("what its tools brought back", _share(brought, 0.15)))
    return blocks


def _named_results(answer: Message, results: tuple[Message, ...]) -> str:
    names = {call.id: call.name for call in answer.tool_calls}
    return "\n".join(
        f"{names.get(one.tool_call_id) or one.tool_call_id or 'a tool'}: {message_as_text(one)}"
        for one in results
    )


def _share(text: str, share: float) -> str:
    return clip_middle(text, int(ROOM_TOKENS * share))
