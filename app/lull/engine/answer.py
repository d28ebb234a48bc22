"""One answer being generated: turns its tokens into the chunks of text that are sent, and decides
when it ends.

An answer ends with the model's end token, a stop string or its maximum length.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lull.core.chat.messages import Finish
from lull.core.models.engine import Chunk, Token
from lull.engine.adapters import LoadedAdapter
from lull.engine.sampling import SamplingParams, TokenLogprobs
from lull.engine.text import AnswerText, Decode

Send = Callable[[str, Chunk], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerVocabulary:
    """The parts of a tokenizer that are needed to turn an answer's tokens into text."""

    decode: Decode
    end_ids: frozenset[int]
    size: int


@dataclass(slots=True, kw_only=True, eq=False)
class GeneratedAnswer:
    """The answer to one request while it is generated: its tokens, its text and whether it has
    ended.
    """

    id: str
    prompt: Sequence[int]
    adapter: LoadedAdapter | None
    """The adapter fixed when the request arrived, for the whole answer; None is the base."""
    draw: SamplingParams
    max_tokens: int
    logprobs: int | None
    text: AnswerText
    vocabulary: AnswerVocabulary
    send: Send
    count: int = field(default=0, init=False)
    ended: bool = field(default=False, init=False)
    arrived_s: float = field(default_factory=time.monotonic, init=False)
    first_s: float = field(default=0.0, init=False)

    @property
    def ends_with_next(self) -> bool:
        """Whether the answer reaches its maximum length with the next token."""
        return self.count + 1 >= self.max_tokens

    def take(self, token: int, odds: TokenLogprobs | None) -> None:
        """Take the answer's newest token: send the text that it completes, and end the answer if it
        is the last.
        """
        self.count += 1
        if self.count == 1:
            self.first_s = time.monotonic()
        ends = token in self.vocabulary.end_ids
        piece = "" if ends else self.text.add(token)
        finish = self._finish(ends)
        if finish is not None:
            piece += self.text.rest()
            self.ended = True
        details = self._details(odds, token, ends=ends)
        if piece or details or finish is not None:
            self.send(self.id, self._chunk(piece, details, finish))

    def _finish(self, ends: bool) -> Finish | None:
        if ends or self.text.stopped:
            return Finish.STOP
        return Finish.LENGTH if self.count >= self.max_tokens else None

    def _chunk(self, piece: str, details: tuple[Token, ...], finish: Finish | None) -> Chunk:
        if finish is None:
            return Chunk(text=piece, tokens=details)
        return Chunk(
            text=piece,
            tokens=details,
            finish=finish,
            prompt_tokens=len(self.prompt),
            completion_tokens=self.count,
            prompt_s=self.first_s - self.arrived_s,
            decode_s=time.monotonic() - self.first_s,
        )

    def _details(self, odds: TokenLogprobs | None, token: int, *, ends: bool) -> tuple[Token, ...]:
        if self.logprobs is None or odds is None:
            return ()
        decode = self.vocabulary.decode
        top = tuple((i, p, decode([i])) for i, p in odds.best[: self.logprobs])
        # The end token has an id and a probability like any other, but no text.
        text = "" if ends else decode([token])
        return (Token(id=token, logprob=odds.logprob, text=text, top=top),)
