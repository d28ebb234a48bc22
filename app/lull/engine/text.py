"""From token ids to text that can be sent: never half a character, never half a stop string.

The text grows by decoding a short run of the newest tokens again at each step and taking what is
new. That works with any tokenizer. mlx-lm's own streaming detokenizers drop a leading space, so
that the streamed text would differ from the whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Decode = Callable[[Sequence[int]], str]

_TORN = "�"
_LONGEST_TEAR = 3
"""A character of four bytes shows as up to three replacement signs while it is incomplete."""


class Detokenizer:
    """Text piece by piece; the pieces joined are the whole decoded."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._run: list[int] = []
        self._sent = 0
        """Characters of the run's text that have been given out."""
        self._whole = 0
        """Tokens of the run whose text ends with a whole character."""

    def add(self, token: int) -> str:
        self._run.append(token)
        text = self._decode(self._run)
        if not text.endswith(_TORN):
            return self._settle(text)
        tear = min(_LONGEST_TEAR, len(text) - len(text.rstrip(_TORN)))
        return self._give(text[: len(text) - tear])

    def rest(self) -> str:
        """What was held back, broken characters and all: nothing more will come."""
        return self._give(self._decode(self._run)) if self._run else ""

    def _give(self, text: str) -> str:
        piece = text[self._sent :]
        self._sent = max(self._sent, len(text))
        return piece

    def _settle(self, text: str) -> str:
        piece = self._give(text)
        if not text:  # a token without text (some are): keep waiting, or context would be lost
            return piece
        # Keep the tokens since the last but one whole place: sentence-piece tokenizers drop a
        # space at the start of what they decode, so one token of context must stay in front.
        context = self._run[self._whole :]
        self._run, self._whole = context, len(context)
        self._sent = len(self._decode(context))
        return piece


class StopStrings:
    """Holds back text that may yet become a stop string, and ends at the first one."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False

    def add(self, text: str) -> str:
        """What may be sent. After a stop string (`stopped`), nothing more."""
        self._held += text
        found = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if found:
            self.stopped = True
            return self._take(min(found))
        return self._take(len(self._held) - self._open_end())

    def rest(self) -> str:
        return "" if self.stopped else self._take(len(self._held))

    def _take(self, count: int) -> str:
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def _open_end(self) -> int:
        """Length of the longest end of the held text with which a stop string begins."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            end = self._held[-size:]
            if any(stop.startswith(end) for stop in self._stops):
                return size
        return 0


class AnswerText:
    """One answer's text: tokens in, sendable pieces out."""

    def __init__(self, decode: Decode, stops: Sequence[str]) -> None:
        self._detokenizer = Detokenizer(decode)
        self._stops = StopStrings(stops)

    @property
    def stopped(self) -> bool:
        return self._stops.stopped

    def add(self, token: int) -> str:
        return self._stops.add(self._detokenizer.add(token))

    def rest(self) -> str:
        if self.stopped:
            return ""
        last = self._stops.add(self._detokenizer.rest())
        return last + self._stops.rest()
