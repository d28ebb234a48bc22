"""Asks a chat model what feedback a user's message gives on the answer before it.

The user's text is shown as data between unforgeable marker lines, and only exactly the requested
object counts as an answer. Quotes count only if they are the user's own words verbatim. Whether a
model reads well enough is decided by an exam of labelled messages; its yes or no is never taken as
certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lull.backends.chat.json_answers import ask_for_json, only_object
from lull.backends.chat.untrusted_blocks import BlockMarks, drawn_seed, make_block_marks
from lull.core.chat.messages import Message, Role, Sampling, text_message
from lull.core.chat.ports import ChatModel
from lull.core.errors import ResourceError
from lull.core.feedback.exchange import Exchange, readable
from lull.core.feedback.feedback import UNSURE, MessageFindings, RuleKind, Scope
from lull.core.ports import RandomNumbers
from lull.resources import prompt, prompt_sha256

PROMPT: Final = "read-reply"
YES: Final = 0.95
NO: Final = 0.05
"""Probabilities recorded for a model's answers yes (`YES`) and no (`NO`), since it states none."""
NOT_SAID: Final = 0.5
"""Probability recorded that the scope of a user's wish (the requests it is for) is right, if the
model names none.
"""
ANSWER_TOKENS: Final = 700
"""Most tokens of the model's answer. Five fields and quotes need few.

The rest is for a model that thinks first.
"""
TRIES: Final = 2
_RETRY_TEMPERATURE: Final = 0.4
"""Temperature of a second try, so that its answer differs."""

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "correction": {"type": "boolean"},
        "lasting": {"type": "boolean"},
        "scope": {"enum": [*(scope.value for scope in Scope), None]},
        "kind_of_rule": {"enum": [*(kind.value for kind in RuleKind), None]},
        "quote": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["correction", "lasting", "scope", "kind_of_rule", "quote"],
    "additionalProperties": False,
}


class ChatReader:
    """Asks a chat model what a user's follow-up message says about the answer before it.

    Implements `FeedbackReader`.
    """

    light = False

    def __init__(self, model: ChatModel, *, coin: RandomNumbers) -> None:
        """Create a feedback reader that asks a chat model.

        `coin` draws seeds and the random codes in the marker lines around untrusted text. Raises
        ResourceError if the prompt is missing.
        """
        self._model = model
        self._coin = coin
        self._told = prompt(PROMPT)
        self.name = f"chat:{model.name} read-{prompt_sha256(PROMPT)[:12]}"

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        """Read the feedback in each user message, one after another, because local servers answer
        one request at a time.

        None for a message on which the model gave no usable answer. Raises UpstreamDown.
        """
        return [await self._one(exchange) for exchange in exchanges]

    async def _one(self, exchange: Exchange) -> MessageFindings | None:
        if not exchange.said.strip():
            return UNSURE
        marks = make_block_marks(self._coin, (exchange.asked, exchange.answer, exchange.said))
        text, seed = _material(exchange, marks), drawn_seed(self._coin)
        asked = (text_message(Role.SYSTEM, self._told), text_message(Role.USER, text))
        for number in range(TRIES):
            findings = parse_feedback(
                await self._answer(asked, seed, number), said=exchange.said, shown=text
            )
            if findings is not None:
                return findings
        return None

    async def _answer(self, asked: Sequence[Message], seed: int, number: int) -> str:
        """Ask the model once; return its answer, "" if that broke off."""
        temperature = _RETRY_TEMPERATURE if number else 0.0
        done = await ask_for_json(
            self._model,
            asked,
            sampling=Sampling(
                temperature=temperature, seed=seed + number, max_tokens=ANSWER_TOKENS
            ),
            schema=SCHEMA,
        )
        return done.message.text if done.complete else ""


def prompt_hash() -> str:
    """Return the hash of the prompt with which a chat model is asked to read feedback.

    A model's exam result (whether it reads well enough) is valid only for this prompt.
    """
    try:
        return prompt_sha256(PROMPT)[:12]
    except ResourceError:
        return "missing"


def parse_feedback(answer: str, *, said: str, shown: str) -> MessageFindings | None:
    """Parse the feedback that a chat model found in a user's message; None if its answer is not
    exactly the requested object.

    `said` is the user's message. `shown` is the text that the model was shown: an answer that
    appears in it verbatim is a quotation.
    """
    value = _fields(answer, shown)
    if value is None:
        return None
    lasting = value["lasting"]
    quote = _own_words(value["quote"], said) if lasting else ()
    return MessageFindings(
        correction=YES if value["correction"] else NO,
        lasting=YES if lasting else NO,
        # By default the narrower scope: a user who misses a rule will state it again.
        scope=Scope(value["scope"] or Scope.KIND) if lasting else None,
        scope_p=(YES if value["scope"] else NOT_SAID) if lasting else 0.0,
        quote=quote,
        kind_of_rule=RuleKind(value["kind_of_rule"] or RuleKind.PREFERENCE) if lasting else None,
    )


def _fields(answer: str, shown: str) -> dict[str, Any] | None:
    try:
        value = only_object(answer)
    except ValueError:
        return None
    quote = value.get("quote")
    well_formed = (
        set(value) == set(SCHEMA["required"])
        and isinstance(value["correction"], bool)
        and isinstance(value["lasting"], bool)
        and (value["scope"] is None or value["scope"] in list(Scope))
        and (value["kind_of_rule"] is None or value["kind_of_rule"] in list(RuleKind))
        and isinstance(quote, list)
        and all(isinstance(one, str) for one in quote)
    )
    if not well_formed:
        return None
    written = _tight(answer[answer.find("{") : answer.rfind("}") + 1])
    return None if written in _tight(shown) else value


def _own_words(quotes: Sequence[str], said: str) -> tuple[str, ...]:
    """Return those of the quotes that the user really typed, in the order typed."""
    found = {one.strip() for one in quotes if one.strip() and one.strip() in said}
    return tuple(sorted(found, key=said.index))


def _tight(text: str) -> str:
    return "".join(text.split())


def _material(exchange: Exchange, marks: BlockMarks) -> str:
    seen = readable(exchange)
    return "\n\n".join(
        (
            marks.block("what was asked", seen.asked or "(nothing)"),
            marks.block("what was answered", seen.answer or "(nothing)"),
            marks.block("what the user typed next", "".join(seen.sentences).strip()),
            "What does the user say?",
        )
    )
