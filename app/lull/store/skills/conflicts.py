"""Finds skills in use that contradict each other: whose checks no answer can keep both.

Two skills are compared only where both can stand in one prompt for certain: for one chat app, and
one of them for every request, or both for requests like the same one. A skill without a check, such
as "be formal", contradicts nothing that could be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lull.core.checks.check import Check
from lull.core.checks.reading import parse_all
from lull.core.checks.rules.contradictions import cannot_both_hold
from lull.core.errors import LullError
from lull.core.feedback.feedback import Scope
from lull.core.proof.proposal import CHECK
from lull.core.skills.skill import Library, Skill, SkillKey, SkillStatus, SkillText
from lull.core.skills.stated_skill import example_of
from lull.store.skills.skill_checks import ApprovedChecks
from lull.store.skills.skill_folders import SkillFolders


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRule:
    """The checks of an approved skill, and the requests for which answers must pass them."""

    key: SkillKey
    always: bool
    """Whether the skill is for every request."""
    example: str
    """Example of the requests that the skill is for; "" if it names none."""
    checks: tuple[Check, ...]

    def contradicts(self, other: CheckedRule) -> bool:
        """Whether both skills can be in one prompt and no answer can pass the checks of both."""
        clients = {self.key.client, other.key.client}
        together = self.key != other.key and ("" in clients or len(clients) == 1)
        met = self.always or other.always or bool(self.example and self.example == other.example)
        return (
            together
            and met
            and any(cannot_both_hold(one, its) for one in self.checks for its in other.checks)
        )


def rules_in_use(library: Library, folders: SkillFolders) -> list[CheckedRule]:
    """Return what the active skills with a check want of answers."""
    active = (one for one in library.skills.values() if one.status is SkillStatus.ACTIVE)
    return [rule for skill in active if (rule := _rule_of_skill(skill, folders)).checks]


def _rule_of_skill(skill: Skill, folders: SkillFolders) -> CheckedRule:
    approved = ApprovedChecks(folders).checks_of(skill.sha256)
    return CheckedRule(
        key=skill.key,
        always=skill.pinned or skill.scope is Scope.ALL,
        example=example_of(skill.body),
        checks=approved.checks if approved is not None else (),
    )


def rule_of_text(key: SkillKey, text: SkillText, scope: Scope) -> CheckedRule:
    """Return what a proposed skill's check wants of answers."""
    check = text.metadata.get(CHECK, "")
    try:
        checks = parse_all(check).checks if check else ()
    except LullError:
        checks = ()  # it is told where the check is shown, and never used
    return CheckedRule(
        key=key, always=scope is Scope.ALL, example=example_of(text.body), checks=checks
    )


def contradicting(rule: CheckedRule, others: Iterable[CheckedRule]) -> list[SkillKey]:
    """Return the skills among the others that a rule contradicts."""
    return sorted(other.key for other in others if rule.contradicts(other))


def all_contradicting(rules: Sequence[CheckedRule]) -> Mapping[SkillKey, list[SkillKey]]:
    """Return the contradictions among skills: for each skill that has any, the skills that it
    contradicts.
    """
    always = [rule for rule in rules if rule.always]
    alike: defaultdict[str, list[CheckedRule]] = defaultdict(list)
    for rule in rules:
        if not rule.always:
            alike[rule.example].append(rule)
    return {
        rule.key: found
        for rule in rules
        if (found := contradicting(rule, rules if rule.always else always + alike[rule.example]))
    }
