"""Gets from a skill the rule that it states for one kind of request, and the example request after
which the user stated the rule.

Only skills made from the user's own words have such a rule and example. For other skills it is
decided by their words and by past requests alone which request they apply to.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.feedback.feedback import Scope
from lull.core.skills.skill import Skill, SkillText, scope_of
from lull.core.skills.stated_skill import example_of, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWithExample:
    """A user's rule about one kind of request, with the request after which it was stated."""

    example: str
    """The request after which the rule was stated, as shown in the rule's skill."""
    said: str


def kind_rule(skill: Skill) -> RuleWithExample | None:
    """Return the user's words for a rule about one kind of request, with the example request which
    shows that kind, both read from the skill's text. None if the skill is for every request, or if
    its text has no example, as when it was not made from the user's own words.
    """
    return _stated(skill.body, skill.scope)


def kind_rule_of_text(text: SkillText) -> RuleWithExample | None:
    """Return for the text of a skill that is not in the library what `kind_rule` returns for one
    that is.
    """
    return _stated(text.body, scope_of(text))


def _stated(body: str, scope: Scope) -> RuleWithExample | None:
    example = example_of(body)
    if scope is not Scope.KIND or not example:
        return None
    return RuleWithExample(example=example, said=words_of(body))
