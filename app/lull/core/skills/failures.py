"""Groups similar failures (bad answers, or wishes that the user stated), and decides when there are
enough of them to make a skill from.

If the user corrected an answer in words, these say what is wanted and one failure is enough.
Failures without words must reach a minimum number (`EvolveRule.alike`). So must answers that only
the judge found bad, having read what the user said next: alone such words may be the next request,
but a complaint comes back, whatever was asked. Text that Lull injected is never part of a failure:
a skill must not learn from itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lull.core.chat.messages import Message
from lull.core.feedback.feedback import MessageFindings
from lull.core.feedback.feedback_label import request_in
from lull.core.skills.similarity import DEFAULT_LIKENESS, similar_groups
from lull.core.skills.stated_skill import with_its_subject
from lull.core.skills.word_overlap import subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One chat turn that a skill (an instruction text) may be made from, because its answer was bad
    or the user stated a wish for later answers after it.
    """

    turn: str
    trajectory: str
    client: str
    """The client that a skill learned from this failure would belong to; "" is everybody's."""
    model: str
    """Name of the model that answered, as typed by the client."""
    messages: tuple[Message, ...]
    """The request as the client sent it, oldest message first."""
    answer: Message
    said: str = ""
    """The user's own next words, if they corrected the answer or stated a wish; without pasted
    text.
    """
    said_turn: str = ""
    """The turn whose request contained the words in `said`."""
    findings: MessageFindings | None = None
    """A reader's findings in the words in `said`; None if nothing was said, or not read yet."""
    unheard: str = ""
    """The user's own next words, in which the reader heard no feedback, after an answer that the
    judge found bad when it had read them; "" otherwise.
    """
    unheard_turn: str = ""
    """The turn whose request contained the words in `unheard`."""

    @property
    def rule(self) -> str:
        """The user's words after this answer that state a wish for later answers, with the
        sentences that say what the wish is about; "" if there is none.
        """
        return with_its_subject(self.findings.rule, self.said) if self.findings is not None else ""

    @property
    def asked(self) -> str:
        """What the user asked for in the turn that failed."""
        said = (m.text for m in reversed(self.messages) if m.role == "user" and m.text)
        return request_in(next(said, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureSet:
    """Similar failures (turns with bad answers or stated wishes) of one client program, newest
    first. One skill can be made from them.
    """

    failures: tuple[Failure, ...]

    @property
    def client(self) -> str:
        """The client in whose conversations the failures happened."""
        return self.failures[0].client

    @property
    def turns(self) -> tuple[str, ...]:
        """The ids of the failed turns."""
        return tuple(failure.turn for failure in self.failures)

    @property
    def read(self) -> frozenset[str]:
        """The ids of the failed turns and of those in which the user spoke of them: with new words
        about an old failure there is something new to draft from.
        """
        return frozenset((*self.turns, *(f.said_turn for f in self.failures if f.said_turn)))

    @property
    def wish(self) -> str:
        """The user's own words after these bad answers, above all the wishes that they state,
        joined into one text with the newest last.
        """
        said = dict.fromkeys(w for f in reversed(self.failures) if (w := f.rule or f.said))
        return "\n".join(said)

    @property
    def newest_worded(self) -> Failure | None:
        """The newest of these failures after which the user stated a wish for later answers in
        words; None if the user never did.
        """
        return next((failure for failure in self.failures if failure.rule), None)


def failure_sets(failures: Sequence[Failure], *, alike: int) -> list[FailureSet]:
    """Group similar failures (bad answers or stated wishes), and return the groups from which a
    skill can be made, newest first.

    `failures` come newest first; `alike` is the number of similar failures that are needed if the
    user stated nothing in words.
    """
    ready = []
    for client in dict.fromkeys(failure.client for failure in failures):
        own = [failure for failure in failures if failure.client == client]
        left: list[Failure] = []
        for group in similar_groups(_heard_again(own, alike), lambda failure: failure.asked):
            for found in _by_rule(group):
                if any(failure.rule for failure in found) or len(found) >= alike:
                    ready.append(FailureSet(failures=found))
                else:
                    left += found
        # The same was said again and again, although different things had been asked for.
        again = _said_alike([failure for failure in left if failure.said])
        ready += [FailureSet(failures=found) for found in again if len(found) >= alike]
    return ready


def _heard_again(failures: Sequence[Failure], alike: int) -> list[Failure]:
    """The failures, in which words that no reader heard count as said if they were repeated."""
    again = {one.turn for group in _said_alike(failures) if len(group) >= alike for one in group}
    return [
        replace(one, said=one.unheard, said_turn=one.unheard_turn)
        if one.turn in again and not one.said
        else one
        for one in failures
    ]


def _said_alike(failures: Sequence[Failure]) -> tuple[tuple[Failure, ...], ...]:
    """Groups of failures by what the user said of them, each newest first."""
    spoken = [failure for failure in failures if subjects(_words(failure))]
    newest_first = sorted(spoken, key=lambda failure: failure.turn, reverse=True)
    said_again = replace(DEFAULT_LIKENESS, grouped=DEFAULT_LIKENESS.said_again)
    return similar_groups(newest_first, _words, rule=said_again)


def _words(failure: Failure) -> str:
    return failure.said or failure.unheard


def _by_rule(alike: tuple[Failure, ...]) -> list[tuple[Failure, ...]]:
    """One set per rule that the user stated, oldest first, so that the newer rule comes last.

    Failures without a stated rule join the newest.
    """
    stated: dict[str, list[Failure]] = {}
    others: list[Failure] = []
    for failure in alike:
        rule = " ".join(failure.rule.lower().split())
        if rule:
            stated.setdefault(rule, []).append(failure)
        else:
            others.append(failure)
    if len(stated) < 2:
        return [alike]
    newest = next(iter(stated))
    stated[newest] = [f for f in alike if f in others or f in stated[newest]]
    return [tuple(found) for found in reversed(stated.values())]
