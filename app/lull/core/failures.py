"""Failures that look alike, and when there is enough of them to learn from.

A worded correction states what the user wants and is enough by itself; silent failures must come
in threes before anything is made of them (`EvolveRule.alike`). Text that Lull injected is never
part of a failure: a skill must not learn from itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.feedback.feedback import Heard
from lull.core.labelled import request_in
from lull.core.likeness import groups
from lull.core.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One turn that went wrong."""

    turn: str
    trajectory: str
    client: str
    """The room that a skill from it would belong to: "" is everybody's."""
    model: str
    """As typed by the client."""
    messages: tuple[Message, ...]
    """The request, oldest first, as the client sent it."""
    answer: Message
    said: str = ""
    """The user's own next words, where they corrected or wished: pasted text is not among them."""
    said_turn: str = ""
    """The turn whose request carried those words."""
    heard: Heard | None = None
    """What a reader heard in those words; None where nothing was said, or read yet."""

    @property
    def rule(self) -> str:
        """The user's words that state a lasting wish, "" for none."""
        return self.heard.rule if self.heard is not None else ""

    @property
    def asked(self) -> str:
        said = (m.text for m in reversed(self.messages) if m.role == "user" and m.text)
        return request_in(next(said, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureSet:
    """Failures of one client that look alike; the newest comes first."""

    failures: tuple[Failure, ...]

    @property
    def client(self) -> str:
        return self.failures[0].client

    @property
    def turns(self) -> tuple[str, ...]:
        return tuple(failure.turn for failure in self.failures)

    @property
    def wish(self) -> str:
        """What the user said they wanted: the newest words come last."""
        said = dict.fromkeys(w for f in reversed(self.failures) if (w := f.rule or f.said))
        return "\n".join(said)

    @property
    def worded(self) -> Failure | None:
        """The newest one of which the user stated a lasting wish."""
        return next((failure for failure in self.failures if failure.rule), None)


def failure_sets(failures: Sequence[Failure], *, alike: int) -> list[FailureSet]:
    """The sets that are ready, newest first. `failures` come newest first; of silent ones so many
    must look alike."""
    ready = []
    for client in dict.fromkeys(failure.client for failure in failures):
        own = [failure for failure in failures if failure.client == client]
        for group in groups(own, lambda failure: failure.asked):
            for found in _by_rule(group):
                if any(failure.rule for failure in found) or len(found) >= alike:
                    ready.append(FailureSet(failures=found))
    return ready


def _by_rule(alike: tuple[Failure, ...]) -> list[tuple[Failure, ...]]:
    """One set for each rule that the user stated: who asks alike and wishes two things has two
    wishes. The oldest comes first, so that the newer word is the last one; failures on which no
    rule was stated go with the newest."""
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
