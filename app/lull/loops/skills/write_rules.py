"""Drafts skills (instruction texts) without a model: turns a lasting wish of the user into a skill
in the user's own words.

It works for any model; the toy language of the built-in model has its own writer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lull.core.feedback.feedback import LIKELY, Scope
from lull.core.provenance.authorship import typed_request
from lull.core.skills.failures import Failure
from lull.core.skills.ports import EvolverMaterial, SkillDraft
from lull.core.skills.skill import check_text
from lull.core.skills.stated_skill import skill_of

ProposesCheck = Callable[[str, str, str, str, Sequence[str]], str]
"""Makes an executable check of a rule which the failed answer fails.

Called with (class of check, rule, failed answer, complaint, possible classes of check), where the
complaint is the whole message if the reader takes it for one that complains of that answer, else
""; returns JSON text, or "" for none.
"""


class RuleWriter:
    """Drafts a skill from the newest rule for answers that the user stated (implements the
    interface Evolver).
    """

    name = "rule"

    def __init__(self, check: ProposesCheck) -> None:
        self._check = check

    async def draft(self, material: EvolverMaterial) -> SkillDraft | None:
        """Draft a skill from the user's newest words that state a rule for answers; None if no
        words do.
        """
        failure = material.failures.newest_worded
        return self._written(failure) if failure is not None else None

    def _written(self, failure: Failure) -> SkillDraft:
        findings = failure.findings
        assert findings is not None, "a worded failure was heard"
        scope = findings.scope or Scope.KIND
        text = skill_of(
            failure.rule,
            scope=scope,
            kind_of_rule=findings.kind_of_rule,
            asked=typed_request(failure.messages),
        )
        complaint = failure.said if findings.correction > LIKELY else ""
        check = self._check(
            findings.check,
            failure.rule,
            failure.answer.text,
            complaint,
            findings.possible_checks,
        )
        return SkillDraft(text=check_text(text), check=check, scope=scope)
