"""What the user said of a kind of request, and the request that they said it after.

Only skills made of the user's own words say both; of any other text, words and past requests decide
alone which request it is for.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.feedback.feedback import Scope
from lull.core.feedback.stated_skill import example_of, words_of
from lull.core.skill import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRule:
    example: str
    """The request that it was said after, as its skill shows it."""
    said: str


def kind_rule(skill: Skill) -> KindRule | None:
    """None for what holds for every request, and for a text that is not of our form."""
    example = example_of(skill.body)
    if skill.scope is not Scope.KIND or not example:
        return None
    return KindRule(example=example, said=words_of(skill.body))
