"""The skill writer: a chat model that drafts one skill (an instruction text) from conversation
turns that went wrong.

This module decides what the model sees and what counts as a skill. An unusable answer is returned
to the model once, with the reason; a second unusable answer raises a fault that keeps everything
the model wrote. The draft is untrusted text: its safety is screened and its benefit is tested
elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from lull.backends.chat.json_answers import ask_for_json
from lull.backends.chat.untrusted_blocks import (
    BlockMarks,
    clip_middle,
    drawn_seed,
    estimate_tokens,
    make_block_marks,
    message_as_text,
    render_conversation,
)
from lull.backends.chat.written_skill import SCHEMA, UnusableSkill, read_skill
from lull.core.chat.messages import Completion, Finish, Message, Role, Sampling, text_message
from lull.core.chat.ports import ChatModel
from lull.core.errors import EvolverFault, UpstreamDown
from lull.core.ports import RandomNumbers
from lull.core.skills.failures import Failure
from lull.core.skills.ports import EvolverMaterial, RejectedSkill, SkillDraft
from lull.core.skills.skill import SkillText
from lull.resources import prompt

ANSWER_TOKENS: Final = 1_200
"""Most tokens of the skill writer's answer."""
TEMPERATURE: Final = 0.4
"""Sampling temperature of the skill writer, high enough that a second try differs."""
MOST_FAILURES: Final = 4
"""Most failing turns that the skill writer is shown."""
FAILURES_TOKENS: Final = 1_100
EXISTING_TOKENS: Final = 450
REJECTED_TOKENS: Final = 350
"""Most tokens of rejected drafts that the skill writer is shown.

With prompt and answer, the three token limits fit Ollama's smallest default window of 4,096.
"""
_SHOWN_AGAIN_TOKENS: Final = 300
_HINT: Final = "Another model may write better; what it wrote is kept with this problem."


class ModelEvolver:
    """A chat model that drafts skills (instruction texts); implements the `Evolver` port."""

    def __init__(self, model: ChatModel, *, coin: RandomNumbers, told: str | None = None) -> None:
        """Create the skill writer; `told` replaces the shipped prompt.

        `coin` draws seeds and the random codes in the marker lines around untrusted text.
        """
        self._model = model
        self._coin = coin
        self._told = prompt("evolve") if told is None else told
        digest = hashlib.sha256(self._told.encode()).hexdigest()
        self.name = f"{model.name} evolve-{digest[:12]}"

    async def draft(self, material: EvolverMaterial) -> SkillDraft:
        """Have the model draft a skill (an instruction text) from conversation turns that went
        wrong.

        Raises EvolverFault with all that the model wrote, UpstreamDown.
        """
        marks = make_block_marks(self._coin, _texts(material))
        asked = [
            text_message(Role.SYSTEM, self._told),
            text_message(Role.USER, _told(material, marks)),
        ]
        seed = drawn_seed(self._coin)
        first = await self._answer(asked, seed)
        try:
            return _read(first, written=first.message.text)
        except UnusableSkill as problem:
            return await self._again(asked, first, problem, seed)

    async def _again(
        self, asked: list[Message], first: Completion, problem: UnusableSkill, seed: int
    ) -> SkillDraft:
        """Ask the model again, with the reason why its answer was unusable. A check that is wrong
        twice is dropped, because it is optional.
        """
        wrote = first.message.text
        said = text_message(Role.ASSISTANT, clip_middle(wrote, _SHOWN_AGAIN_TOKENS) or "(nothing)")
        why = f"This cannot be used: {problem} Answer again, with one JSON object and nothing else."
        try:
            second = await self._answer([*asked, said, text_message(Role.USER, why)], seed + 1)
        except UpstreamDown as error:
            raise EvolverFault(
                f"{problem} A second try was not answered: {error.detail}",
                answer=wrote,
                hint=error.hint,
            ) from error
        both = f"{wrote}\n\n⟨asked again: {problem}⟩\n\n{second.message.text}"
        try:
            return _read(second, written=both, check_may_go=True)
        except UnusableSkill as still:
            raise EvolverFault(str(still), answer=both, hint=_HINT) from None

    async def _answer(self, messages: list[Message], seed: int) -> Completion:
        return await ask_for_json(
            self._model,
            messages,
            sampling=Sampling(temperature=TEMPERATURE, seed=seed, max_tokens=ANSWER_TOKENS),
            schema=SCHEMA,
        )


def _read(done: Completion, *, written: str, check_may_go: bool = False) -> SkillDraft:
    """Parse a skill draft. Raises UnusableSkill."""
    if not done.complete:
        raise UnusableSkill(done.error or "The answer broke off.")
    try:
        found = read_skill(done.message.text, check_may_go=check_may_go)
    except UnusableSkill:
        if done.finish is Finish.LENGTH:
            raise UnusableSkill(
                f"The answer was cut at the limit of {ANSWER_TOKENS} tokens."
            ) from None
        raise
    return SkillDraft(text=found.text, check=found.check, answer=written)


# -- what the model sees -----------------------------------------------------------------------


def _texts(material: EvolverMaterial) -> list[str]:
    failures = material.failures.failures
    said = [failure.said for failure in failures]
    messages = [m for failure in failures for m in (*failure.messages, failure.answer)]
    skills = [*material.existing, *(one.text for one in material.rejected)]
    words = [f"{s.name} {s.description} {s.body}" for s in skills]
    return [
        *said,
        *map(message_as_text, messages),
        *words,
        *(one.reason for one in material.rejected),
    ]


def _told(material: EvolverMaterial, marks: BlockMarks) -> str:
    shown = material.failures.failures[:MOST_FAILURES]
    most_tokens = FAILURES_TOKENS // len(shown)
    blocks = [
        _failure(failure, marks, at, most_tokens) for at, failure in enumerate(shown, start=1)
    ]
    existing = _listed(map(_existing, material.existing), EXISTING_TOKENS)
    rejected = _listed(map(_rejected, material.rejected), REJECTED_TOKENS)
    blocks.append(marks.block("skills that exist", existing))
    blocks.append(marks.block("candidates that were turned down", rejected))
    return "\n\n".join((*blocks, "Write the skill."))


def _failure(failure: Failure, marks: BlockMarks, number: int, most_tokens: int) -> str:
    asked = render_conversation(marks, failure.messages, most_tokens * 2 // 5, last=3)
    said = (
        clip_middle(failure.said.strip(), most_tokens // 5) or "(nothing that tells what was wrong)"
    )
    return "\n".join(
        (
            marks.block(f"turn {number}: what was asked", asked),
            marks.block(
                f"turn {number}: what was answered",
                clip_middle(message_as_text(failure.answer), most_tokens * 2 // 5),
            ),
            marks.block(f"turn {number}: the user said next", said),
        )
    )


def _existing(skill: SkillText) -> str:
    return f"{skill.name}: {clip_middle(skill.description, 50)}"


def _rejected(one: RejectedSkill) -> str:
    text = clip_middle(f"{one.text.description} {one.text.body}", 80)
    return f"{one.text.name}: {text} (turned down: {clip_middle(one.reason, 30)})"


def _listed(lines: Iterable[str], most_tokens: int) -> str:
    """List the lines as bullets, as many as fit."""
    shown: list[str] = []
    left_tokens = most_tokens
    for line in lines:
        flat = " ".join(line.split())
        left_tokens -= estimate_tokens(flat)
        if left_tokens < 0:
            break
        shown.append(f"- {flat}")
    return "\n".join(shown) or "(none)"
