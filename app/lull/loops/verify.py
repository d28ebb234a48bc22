"""What can be checked without asking anybody: the most trusted word on an answer.

Two kinds of verifier: checks that the user approved together with a skill, and the built-in
model's own, which reads what the user once said and sees whether an answer does it. Where neither
can speak, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lull.core.check import NO_TOOLS, Check, Tools, holds, in_words
from lull.core.model_name import canonical
from lull.core.reward import Source
from lull.core.signals import YOU_SAID, Signal, SignalKind, from_format
from lull.core.stated_rule import stated_rule

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[-–—]\s+")

Reads = Callable[[str, str, str], bool | None]
"""(wish, request, answer) → whether the answer does what the wish says; None: cannot tell."""


def as_said(wish: str) -> str:
    """The text of a signal that a standing wish gave."""
    return f"{YOU_SAID}{wish}"


def by_wish(signal: Signal) -> bool:
    """Whether a standing wish gave this verdict, and not a check of the user's."""
    return signal.kind is SignalKind.CHECK and signal.text.startswith(YOU_SAID)


@lru_cache(maxsize=1024)
def _stated(words: str, about: str) -> tuple[str, ...]:
    """The rule in the user's words, freed of how they led up to it."""
    rule = stated_rule(words, asked=about)
    return (rule.body,) if rule is not None else ()


class Wish(NamedTuple):
    """What the user said they wanted, and of which request they said it."""

    words: str
    about: str
    turn: str = ""
    """The answer that was wrong; "" where that does not matter."""
    trajectory: str = ""
    at: str = ""
    """When that was answered, ISO 8601."""


class Verifier:
    """Verifiers by model, and the approved checks by the skill text they came with."""

    def __init__(
        self,
        readers: Mapping[str, Reads],
        *,
        checks: Callable[[str], Sequence[Check]],
        tools: Tools = NO_TOOLS,
    ) -> None:
        """`readers` by the model's name; `checks` by a skill's sha256."""
        self._tools = tools
        self._readers = {canonical(name): read for name, read in readers.items()}
        self._checks = checks

    def speaks_for(self, model: str) -> bool:
        return canonical(model) in self._readers

    def fulfils(
        self, model: str, *, wish: str, asked: str, answer: str, about: str = ""
    ) -> bool | None:
        """Whether the answer does what the user said they wanted, by the newest words that tell;
        `about` is the request that they said it of.

        None where no line of the wish says anything about this request.
        """
        read = self._readers.get(canonical(model))
        if read is None:
            return None
        for line in reversed(wish.splitlines()):
            for words in (line, *reversed(_SENTENCE.split(line)), *_stated(line, about)):
                if (does := read(words, asked, answer)) is not None:
                    return does
        return None

    def about(
        self, model: str, skills: Mapping[str, str], *, asked: str, answer: str
    ) -> tuple[str, ...]:
        """Of these skills (their bodies by name) those that are about the request; all of them
        where the model has no verifier that could tell."""
        told = tuple(
            name
            for name, body in skills.items()
            if self.fulfils(model, wish=body, asked=asked, answer=answer) is not None
        )
        return told if self.speaks_for(model) else tuple(skills)

    def checked(self, skills: Sequence[str], answer: str) -> tuple[Signal, ...]:
        """The verdicts of the checks that came with these skill texts; one that does not apply to
        the answer gives none."""
        return tuple(
            Signal(
                kind=SignalKind.CHECK,
                source=Source.VERIFIABLE,
                value=1.0 if held else -1.0,
                text=in_words(check),
            )
            for sha256 in skills
            for check in self._checks(sha256)
            if (held := holds(check, answer, self._tools)) is not None
        )

    def in_format(self, format_json: str, answer: str) -> tuple[Signal, ...]:
        """Whether the answer is the JSON that the request asked for (`signals.from_format`)."""
        return from_format(format_json, answer, self._tools.fits_schema)

    def as_wished(
        self, model: str, *, wishes: Sequence[Wish], asked: str, answer: str
    ) -> tuple[Signal, ...]:
        """The verdict of the newest standing wish that says something about this request;
        `wishes` come oldest first."""
        found = self._newest(model, wishes, asked, answer)
        if found is None:
            return ()
        wish, does = found
        value, text = 1.0 if does else -1.0, as_said(wish.words)
        return (Signal(kind=SignalKind.CHECK, source=Source.VERIFIABLE, value=value, text=text),)

    def wish_for(self, model: str, *, wishes: Sequence[Wish], asked: str) -> Wish | None:
        """The newest standing wish that says something about this request."""
        found = self._newest(model, wishes, asked, "")
        return found[0] if found is not None else None

    def _newest(
        self, model: str, wishes: Sequence[Wish], asked: str, answer: str
    ) -> tuple[Wish, bool] | None:
        for wish in reversed(wishes):
            does = self.fulfils(
                model, wish=wish.words, asked=asked, answer=answer, about=wish.about
            )
            if does is not None:
                return wish, does
        return None
