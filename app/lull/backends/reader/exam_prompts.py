"""Computes the version of the prompts of each exam; an exam decides whether a chat model may do a
task, such as judging answers.

A result counts only for the version it was obtained with: with other prompts, the same model may
read, judge or write differently.
"""

from __future__ import annotations

from lull.backends.chat.llm_judge import RULES
from lull.backends.reader.chat_reader import prompt_hash
from lull.core.models.exam import ModelRole
from lull.resources import prompt_sha256


def prompts_version(role: ModelRole, *, votes: int, temperature: float) -> str:
    """Return the version of the prompts with which a chat model is examined for a role, such as
    judge; it changes with their text and, for the judge, with the number of votes and the
    temperature too. Raises ResourceError.
    """
    match role:
        case ModelRole.READER:
            return f"read-{prompt_hash()}"
        case ModelRole.JUDGE:
            mark = prompt_sha256("judge-wish")[:12]
            return f"judge-{RULES}-{mark}-{votes}-{temperature:g}"
        case ModelRole.WRITER:
            return f"evolve-{prompt_sha256('evolve')[:12]}"
