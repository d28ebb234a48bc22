"""What can be checked without asking anybody: the most trusted word on an answer.

Two kinds of verifier. A *check* is an exact program (core/check.py) that came with what the user
said and holds for any model's answers. A model whose language has one right answer has a verifier
of that language, which reads the wish itself. Where neither can speak, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from lull.core.check import NO_TOOLS, Check, Tools, holds, in_words
from lull.core.feedback.feedback import Feedback, Heard, Scope
from lull.core.likeness import alike
from lull.core.model_name import canonical
from lull.core.reward import Source
from lull.core.signals import YOU_SAID, Signal, SignalKind, from_format
from lull.core.skill import Skill

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[-–—]\s+")

NEAR: Final = 0.5
"""Likeness of two requests (core/likeness.alike) from which on a wish said of one holds for the
other."""

Reads = Callable[[str, str, str], bool | None]
"""(wish, request, answer) → whether the answer does what the wish says; None: cannot tell."""


def as_said(wish: str) -> str:
    """The text of a signal that a standing wish gave."""
    return f"{YOU_SAID}{wish}"


def by_wish(signal: Signal) -> bool:
    """Whether a standing wish gave this verdict, and not a check of the user's."""
    return signal.kind is SignalKind.CHECK and signal.text.startswith(YOU_SAID)


class Wish(NamedTuple):
    """What the user said they wanted, and of which request they said it."""

    words: str
    about: str
    turn: str = ""
    """The answer that was wrong; "" where that does not matter."""
    trajectory: str = ""
    at: str = ""
    """When that was answered, ISO 8601."""
    check: Check | None = None
    """The program that decides it, where there is one."""
    scope: Scope = Scope.KIND
    said: str = ""
    """The turn whose request carried the words."""


class Verifier:
    """Verifiers by model, and the approved checks by the skill text they came with."""

    def __init__(
        self,
        exact: Mapping[str, Reads],
        *,
        checks: Callable[[str], Sequence[Check]],
        derived: Callable[[Heard, str], Check | None] = lambda _heard, _asked: None,
        tools: Tools = NO_TOOLS,
    ) -> None:
        """`exact`: by a model's name, the verifier of a language with one right answer. `checks` by
        a skill's sha256. `derived`: the check that what was heard of a request comes to. `tools`:
        the libraries that some checks need."""
        self._exact = {canonical(name): read for name, read in exact.items()}
        self._checks = checks
        self._derived = derived
        self._tools = tools

    def is_exact(self, model: str) -> bool:
        """Whether the model's language has one right answer, so that nobody knows better."""
        return canonical(model) in self._exact

    def wish_of(self, feedback: Feedback, *, about: str) -> Wish:
        """What was heard as a standing wish."""
        heard = feedback.heard
        return Wish(
            words=heard.rule,
            about=about,
            turn=feedback.before,
            check=self._derived(heard, about),
            scope=heard.scope or Scope.KIND,
            said=feedback.turn,
        )

    def fulfils(
        self,
        model: str,
        *,
        wish: str,
        asked: str,
        answer: str,
        about: str = "",
        check: Check | None = None,
    ) -> bool | None:
        """Whether the answer does what the user said they wanted, by the newest words that tell;
        `about` is the request that they said it of, `check` the program that decides the wish.

        None where nobody can tell without a model.
        """
        read = self._exact.get(canonical(model))
        if read is None:
            return None if check is None else holds(check, answer, self._tools)
        for line in reversed(wish.splitlines()):
            for words in (line, *reversed(_SENTENCE.split(line))):
                if (does := read(words, asked, answer)) is not None:
                    return does
        return None

    def about(
        self, model: str, skills: Mapping[str, Skill], *, asked: str, answer: str
    ) -> tuple[str, ...]:
        """Of these skills (by name) those that the request wanted, as far as anybody can tell."""
        return tuple(
            name for name, skill in skills.items() if self._is_about(model, skill, asked, answer)
        )

    def _is_about(self, model: str, skill: Skill, asked: str, answer: str) -> bool:
        if self.is_exact(model):
            return self.fulfils(model, wish=skill.body, asked=asked, answer=answer) is not None
        if skill.scope is Scope.ALL or not skill.description:
            return True
        return alike(skill.description, asked) >= NEAR

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
            if not self.is_exact(model) and not _covers(wish, asked):
                continue
            does = self.fulfils(
                model,
                wish=wish.words,
                asked=asked,
                answer=answer,
                about=wish.about,
                check=wish.check,
            )
            if does is not None:
                return wish, does
        return None


def _covers(wish: Wish, asked: str) -> bool:
    """Whether a wish is about this request, as far as words tell."""
    return wish.scope is Scope.ALL or alike(wish.about, asked) >= NEAR
