"""Canaries: small tasks with a programmatic answer, which an adapter must not get worse at.

A probe is a request, with or without a skill in its prompt, and a check; families of them are
weighed by the gate. What the checks read is `probe_checks.py`, the built-in model's own set
`pocket/canaries.py`, the shipped set `resources/probes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lull.core.injection import block, merged_system
from lull.core.messages import Message, Role, text_message
from lull.core.probe_checks import Wanted, fulfils, wanted_from

MOST_TOKENS = 320
"""Of one answer: a task here is short, and what runs on has failed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    id: str
    """`FAMILY/NAME`."""
    family: str
    prompt: str
    wanted: Wanted
    system: str = ""
    skills: tuple[str, ...] = ()
    """Bodies of skills in the prompt that nobody was trained on."""
    about: str = ""
    """What it is about, in the words of the model's own language; a probe on what the run was to
    change says nothing about what it was not to."""
    right: tuple[str, ...] = field(default=(), compare=False)
    wrong: tuple[str, ...] = field(default=(), compare=False)
    """Answers that are known to hold and not to hold, for the checkers' own tests."""

    @property
    def messages(self) -> tuple[Message, ...]:
        text = merged_system(self.system, block(self.skills)) if self.skills else self.system
        asked = text_message(Role.USER, self.prompt)
        return (text_message(Role.SYSTEM, text), asked) if text else (asked,)

    def passes(self, answer: str) -> bool:
        return fulfils(self.wanted, answer)


def probes_from(fields: Mapping[str, object]) -> list[Probe]:
    """The probes of one family's file. Raises ValueError for one that cannot be read."""
    family, listed = fields.get("family"), fields.get("probes")
    if not isinstance(family, str) or not isinstance(listed, list):
        raise ValueError("a family of probes has a name and a list")
    return [_probe(family, one) for one in listed]


def _probe(family: str, fields: object) -> Probe:
    if not isinstance(fields, dict) or not isinstance(fields.get("prompt"), str):
        raise ValueError(f"a probe of {family} has no prompt")
    wanted = fields.get("check")
    if not isinstance(wanted, dict):
        raise ValueError(f"a probe of {family} has no check")
    return Probe(
        id=f"{family}/{fields.get('id')}",
        family=family,
        prompt=fields["prompt"],
        wanted=wanted_from(wanted),
        system=str(fields.get("system", "")),
        skills=_texts(fields.get("skills", ())),
        right=_texts(fields.get("right", ())),
        wrong=_texts(fields.get("wrong", ())),
    )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise ValueError("a list of texts is wanted")
    return tuple(value)
