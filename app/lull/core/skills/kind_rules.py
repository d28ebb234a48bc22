"""A user's rule for one kind of request, with the example request after which it was stated.

Only skills made from the user's own words have both; for other skills, words and past requests
alone decide which request they apply to.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.feedback.feedback import Scope
from lull.core.skills.skill import Skill
from lull.core.skills.stated_skill import example_of, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRule:
    example: str
    """The request after which the rule was stated, as shown in the rule's skill."""
    said: str


def kind_rule(skill: Skill) -> KindRule | None:
    """Return the rule for one kind of request that a skill states; None if the skill is for every
    request or has another form.
    """
    example = example_of(skill.body)
    if skill.scope is not Scope.KIND or not example:
        return None
    return KindRule(example=example, said=words_of(skill.body))
