"""Turns token ids into text to stream, never splitting a character or a stop string.

Each step decodes a short run of the newest tokens again and takes the new text, which works with
any tokenizer. mlx-lm's own streaming detokenizers are not used, because they drop a leading space
and the streamed text would differ from the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Decode = Callable[[Sequence[int]], str]

_REPLACEMENT = "�"
_MOST_REPLACEMENTS = 3
"""An incomplete four-byte character decodes to at most this many replacement characters."""


class Detokenizer:
    """Decodes an answer's tokens piece by piece; the joined pieces equal the whole decoded text."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._run: list[int] = []
        self._sent = 0
        """Characters of the run's text already returned."""
        self._whole = 0
        """Number of the run's tokens at the last point where its text was complete."""

    def add(self, token: int) -> str:
        """Add a token and return the text that is now complete, without broken characters."""
        self._run.append(token)
        text = self._decode(self._run)
        if not text.endswith(_REPLACEMENT):
            return self._settle(text)
        incomplete = min(_MOST_REPLACEMENTS, len(text) - len(text.rstrip(_REPLACEMENT)))
        return self._give(text[: len(text) - incomplete])

    def rest(self) -> str:
        """Return the text held back so far, broken characters included; called at the end of the
        answer.
        """
        return self._give(self._decode(self._run)) if self._run else ""

    def _give(self, text: str) -> str:
        piece = text[self._sent :]
        self._sent = max(self._sent, len(text))
        return piece

    def _settle(self, text: str) -> str:
        piece = self._give(text)
        if not text:  # some tokens have no text: wait, or the context would be lost
            return piece
        # Keep the tokens since the last complete point but one: SentencePiece tokenizers drop a
        # space at the start of decoded text, so one token of context must stay in front.
        context = self._run[self._whole :]
        self._run, self._whole = context, len(context)
        self._sent = len(self._decode(context))
        return piece


class StopStrings:
    """Holds back generated text that may be the beginning of a stop string, and ends the answer at
    the first stop string.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False

    def add(self, text: str) -> str:
        """Add generated text and return what may be sent to the client; must not be called once
        `stopped` is set.
        """
        self._held += text
        found = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if found:
            self.stopped = True
            return self._take(min(found))
        return self._take(len(self._held) - self._open_end())

    def rest(self) -> str:
        """Return the text held back as a possible stop string, unless a stop string was found."""
        return "" if self.stopped else self._take(len(self._held))

    def _take(self, count: int) -> str:
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def _open_end(self) -> int:
        """Length of the longest suffix of the held text that begins a stop string."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            end = self._held[-size:]
            if any(stop.startswith(end) for stop in self._stops):
                return size
        return 0


class AnswerText:
    """Turns one answer's tokens into text that may be sent to the client."""

    def __init__(self, decode: Decode, stops: Sequence[str]) -> None:
        self._detokenizer = Detokenizer(decode)
        self._stops = StopStrings(stops)

    @property
    def stopped(self) -> bool:
        """Whether the answer has reached one of the request's stop sequences."""
        return self._stops.stopped

    def add(self, token: int) -> str:
        """Add a token to the answer and return the text that may now be sent to the client."""
        return self._stops.add(self._detokenizer.add(token))

    def rest(self) -> str:
        """Return the text held back so far; called at the end of the answer."""
        if self.stopped:
            return ""
        last = self._stops.add(self._detokenizer.rest())
        return last + self._stops.rest()
