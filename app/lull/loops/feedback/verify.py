"""Decides with programs, not with a model, whether answers are good; only the user's own rating is
trusted more.

There are two kinds of verifier. A *check* is an exact program derived from the user's words and
applies to any model's answers. A model whose language has one right answer has a verifier of that
language, which reads the user's wish itself. Where neither can decide, there is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from lull.core.chat.model_name import canonical
from lull.core.checks.check import NO_LIBRARIES, CheckLibraries, CheckSet
from lull.core.checks.check_answer import keeps_rule
from lull.core.checks.settled import is_settled
from lull.core.checks.wording import all_in_words
from lull.core.feedback.feedback import Feedback, Scope
from lull.core.feedback.reward import Source
from lull.core.feedback.signals import YOU_SAID, Signal, SignalKind, from_format
from lull.core.feedback.standing_check import standing_check
from lull.core.skills.ports import ChecksOfSkills
from lull.core.skills.similarity import subject_similarity
from lull.core.skills.skill import Skill

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[-–—]\s+")

NEAR: Final = 0.5
"""Similarity of two requests (0 to 1) at which a wish about one applies to the other."""

Reads = Callable[[str, str, str], bool | None]
"""Function that decides whether an answer fulfils a user's wish.

Called with (wish, request, answer). Returns None if undecided.
"""


def wish_text(wish: str) -> str:
    """Return the text that is stored with the result of checking an answer against this wish of the
    user: the wish, marked as the user's words.
    """
    return f"{YOU_SAID}{wish}"


def is_from_wish(signal: Signal) -> bool:
    """Whether a reward signal (a verdict on an answer) comes from checking the answer against a
    wish of the user, and not against a skill.
    """
    return signal.kind is SignalKind.CHECK and signal.text.startswith(YOU_SAID)


class Wish(NamedTuple):
    """A wish that the user stated about answers, with the request that it was about."""

    words: str
    about: str
    turn: str = ""
    """Id of the turn with the answer that the user corrected; "" where that does not matter."""
    trajectory: str = ""
    at: str = ""
    """Time of the answer that the user corrected, ISO 8601."""
    check: CheckSet | None = None
    """Executable checks for whether an answer fulfils the wish; None if the wish has none."""
    scope: Scope = Scope.KIND
    said: str = ""
    """Id of the turn whose request contained the wish."""


class Verifier:
    """Decides with programs whether answers are good: by checks of skills, by checks of the user's
    wishes, and by exact verifiers for models whose language has one right answer to each request.
    """

    def __init__(
        self,
        exact: Mapping[str, Reads],
        *,
        checks: ChecksOfSkills,
        tools: CheckLibraries = NO_LIBRARIES,
    ) -> None:
        """The mapping `exact` holds verifiers for models whose answers are right or wrong.

        The argument `tools` holds the libraries that some checks need.
        """
        self._exact = {canonical(name): read for name, read in exact.items()}
        self._checks = checks
        self._tools = tools

    def is_exact(self, model: str) -> bool:
        """Whether this model has an exact verifier, a program that can tell of its answers whether
        they are right or wrong.
        """
        return canonical(model) in self._exact

    def wish_of(self, feedback: Feedback, *, about: str) -> Wish:
        """Turn a user's feedback into a standing wish (which later answers are checked against).

        `about` is the request that the feedback was about.
        """
        findings = feedback.findings
        return Wish(
            words=findings.rule,
            about=about,
            turn=feedback.before,
            check=standing_check(findings),
            scope=findings.scope or Scope.KIND,
            said=feedback.turn,
        )

    def fulfils(
        self,
        model: str,
        *,
        wish: str,
        asked: str,
        answer: str,
        check: CheckSet | None = None,
    ) -> bool | None:
        """Whether the answer fulfils the user's wish; None if that cannot be decided without a
        model.

        `check` holds the programs made from the wish, if there are any. If the wish has several
        sentences, the last one that applies decides.
        """
        read = self._exact.get(canonical(model))
        if read is None:
            return None if check is None else keeps_rule(check, answer, self._tools)
        for line in reversed(wish.splitlines()):
            for words in (line, *reversed(_SENTENCE.split(line))):
                if (does := read(words, asked, answer)) is not None:
                    return does
        return None

    def is_settled(self, check: CheckSet, begun: str) -> bool:
        """Whether the beginning of an answer tells already whether it keeps the rule that these
        programs test.
        """
        return is_settled(check, begun, self._tools)

    def skills_about(
        self, model: str, skills: Mapping[str, Skill], *, asked: str, answer: str
    ) -> tuple[str, ...]:
        """Return the names of the given skills (instruction texts) that are about this request, for
        example because its subject is theirs.
        """
        return tuple(
            name for name, skill in skills.items() if self._is_about(model, skill, asked, answer)
        )

    def skills_needed(
        self, model: str, skills: Mapping[str, Skill], *, asked: str, answer: str
    ) -> tuple[str, ...]:
        """Return the names of the given skills (instruction texts) that this request surely needed:
        it is about their subject, and the answer passes their checks (programs).

        The request must be about the skill, by the language's verifier or by the skill's
        description, and the answer must pass the skill's check (a program), if it has one.
        """
        return tuple(
            name
            for name, skill in skills.items()
            if (self.is_exact(model) or skill.description)
            and self._is_about(model, skill, asked, answer)
            and self._passes_checks(skill, answer)
        )

    def _passes_checks(self, skill: Skill, answer: str) -> bool:
        """Whether the answer passes the skill's checks, or what they test of its rule."""
        checks = self._checks.checks_of(skill.sha256)
        kept = keeps_rule(checks, answer, self._tools) if checks is not None else True
        return kept is True or (kept is None and checks is not None and not checks.whole)

    def _is_about(self, model: str, skill: Skill, asked: str, answer: str) -> bool:
        if self.is_exact(model):
            return self.fulfils(model, wish=skill.body, asked=asked, answer=answer) is not None
        if skill.scope is Scope.ALL or not skill.description:
            return True
        return subject_similarity(skill.description, asked) >= NEAR

    def run_skill_checks(self, skills: Sequence[str], answer: str) -> tuple[Signal, ...]:
        """Run the checks (programs) of these skills (sha256) on an answer; return their verdicts as
        reward signals.

        A skill whose checks do not apply to the answer, or test only a part of its rule and are
        passed, gives no signal.
        """
        return tuple(
            Signal(
                kind=SignalKind.CHECK,
                source=Source.VERIFIABLE,
                value=1.0 if held else -1.0,
                text=all_in_words(checks),
            )
            for sha256 in skills
            if (checks := self._checks.checks_of(sha256)) is not None
            and (held := keeps_rule(checks, answer, self._tools)) is not None
        )

    def check_format(self, format_json: str, answer: str) -> tuple[Signal, ...]:
        """Check whether the answer is the JSON that the request asked for; return the result as a
        reward signal.
        """
        return from_format(format_json, answer, self._tools.fits_schema)

    def check_wish(
        self, model: str, *, wishes: Sequence[Wish], asked: str, answer: str
    ) -> tuple[Signal, ...]:
        """Check an answer against the user's newest lasting wish that applies to its request.

        `wishes` are ordered oldest first. Returns one reward signal saying whether the answer
        fulfils the wish, or none if no wish applies.
        """
        found = self._newest(model, wishes, asked, answer)
        if found is None:
            return ()
        wish, does = found
        value, text = 1.0 if does else -1.0, wish_text(wish.words)
        return (Signal(kind=SignalKind.CHECK, source=Source.VERIFIABLE, value=value, text=text),)

    def wish_for(self, model: str, *, wishes: Sequence[Wish], asked: str) -> Wish | None:
        """Return the newest standing wish (a correction by the user) that applies to this
        request.
        """
        found = self._newest(model, wishes, asked, "")
        return found[0] if found is not None else None

    def covers(self, model: str, wish: Wish, asked: str) -> bool:
        """Whether a wish applies to this request, by its scope or the likeness of the requests; the
        exact verifier of a model's language tells it by itself.
        """
        every = self.is_exact(model) or wish.scope is Scope.ALL
        return every or subject_similarity(wish.about, asked) >= NEAR

    def _newest(
        self, model: str, wishes: Sequence[Wish], asked: str, answer: str
    ) -> tuple[Wish, bool] | None:
        for wish in reversed(wishes):
            if not self.covers(model, wish, asked):
                continue
            does = self.fulfils(
                model,
                wish=wish.words,
                asked=asked,
                answer=answer,
                check=wish.check,
            )
            if does is not None:
                return wish, does
        return None
