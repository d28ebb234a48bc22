"""One answer on its way: from a request to its last chunk.

Here it is decided when an answer ends (the model's end token, a stop string, its length) and
what is sent of it. How its tokens come about is the lane's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lull.core.messages import Finish
from lull.core.ports import Chunk, Token
from lull.engine.adapters import Adapter
from lull.engine.sampling import Draw, Odds
from lull.engine.text import AnswerText, Decode

Send = Callable[[str, Chunk], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What an answer needs of the tokenizer."""

    decode: Decode
    end_ids: frozenset[int]
    size: int


@dataclass(slots=True, kw_only=True, eq=False)
class Answer:
    id: str
    prompt: Sequence[int]
    adapter: Adapter | None
    """Held from beginning to end: what answers is fixed when the request arrives."""
    draw: Draw
    max_tokens: int
    logprobs: int | None
    text: AnswerText
    vocabulary: Vocabulary
    send: Send
    count: int = 0
    ended: bool = False
    arrived_s: float = field(default_factory=time.monotonic)
    first_s: float = 0.0

    @property
    def ends_with_next(self) -> bool:
        """Whatever the next token is, it will be the last."""
        return self.count + 1 >= self.max_tokens

    def take(self, token: int, odds: Odds | None) -> None:
        """The next token: send what can be sent, and notice the end."""
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

    def _details(self, odds: Odds | None, token: int, *, ends: bool) -> tuple[Token, ...]:
        if self.logprobs is None or odds is None:
            return ()
        decode = self.vocabulary.decode
        top = tuple((i, p, decode([i])) for i, p in odds.best[: self.logprobs])
        # The end token has an id and a probability like any other, but says nothing.
        text = "" if ends else decode([token])
        return (Token(id=token, logprob=odds.logprob, text=text, top=top),)
