"""Canary prompts: small test tasks, checked by a program, at which a new adapter must not be worse
than the active one.

One such task is called a probe: a request, with or without a skill in its prompt, and the check of
its answer. The gate (the test before an adapter may answer users) groups the probes into families,
and each family must pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lull.core.adapters.canary_checks import CanaryRule, canary_rule_from, fulfils
from lull.core.chat.messages import Message, Role, text_message
from lull.core.skills.prompt_block import merged_system, skills_block

MOST_ANSWER_TOKENS = 320
"""Token limit of one answer to a canary probe; the tasks are short, so an answer that is cut off
has failed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryTask:
    """A canary: a small task with a known right answer, which tells whether training has damaged a
    model.
    """

    id: str
    """Identifier of the canary probe, in the form `FAMILY/NAME`."""
    family: str
    prompt: str
    wanted: CanaryRule
    system: str = ""
    skills: tuple[str, ...] = ()
    """Bodies of skills that are put into the probe's prompt and that the adapter was not trained
    on.
    """
    about: str = ""
    """The probe's subject, as `Curriculum.subject` names it; "" for none. A probe on the subject
    that was trained says nothing about side effects.
    """
    right: tuple[str, ...] = field(default=(), compare=False)
    wrong: tuple[str, ...] = field(default=(), compare=False)
    """Answers that the probe's check must fail, as `right` are answers it must pass; used to test
    the check.
    """

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return the chat messages that ask the probe's question, with its skills in the prompt."""
        text = merged_system(self.system, skills_block(self.skills)) if self.skills else self.system
        asked = text_message(Role.USER, self.prompt)
        return (text_message(Role.SYSTEM, text), asked) if text else (asked,)

    def passes(self, answer: str) -> bool:
        """Return whether this answer solves the canary task."""
        return fulfils(self.wanted, answer)


def canary_tasks_from(fields: Mapping[str, object]) -> list[CanaryTask]:
    """Parse the JSON file of one family of canary prompts into its probes: small test tasks that
    show whether an adapter has lost an ability.

    Raises ValueError for an invalid task.
    """
    family, listed = fields.get("family"), fields.get("probes")
    if not isinstance(family, str) or not isinstance(listed, list):
        raise ValueError("a family of probes has a name and a list")
    return [_probe(family, one) for one in listed]


def _probe(family: str, fields: object) -> CanaryTask:
    if not isinstance(fields, dict) or not isinstance(fields.get("prompt"), str):
        raise ValueError(f"a probe of {family} has no prompt")
    wanted = fields.get("check")
    if not isinstance(wanted, dict):
        raise ValueError(f"a probe of {family} has no check")
    return CanaryTask(
        id=f"{family}/{fields.get('id')}",
        family=family,
        prompt=fields["prompt"],
        wanted=canary_rule_from(wanted),
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
