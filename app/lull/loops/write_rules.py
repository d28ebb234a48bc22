"""The skill writer that needs no model: a lasting wish becomes a skill of the user's own words.

Implements `core.ports.Evolver`. The toy language of the built-in model has a writer of its own;
this one writes for any model.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.core.failures import Failure
from lull.core.feedback.feedback import Scope
from lull.core.feedback.stated_skill import skill_of
from lull.core.labelled import request_in
from lull.core.messages import Role
from lull.core.ports import Draft, Material
from lull.core.skill import check_text
from lull.core.trust import said_by_user

ProposesCheck = Callable[[str, str, str, str], str]
"""(class of check, the rule, the request, the answer that failed) → JSON text of a check that the
failed answer fails, "" for none."""


class RuleWriter:
    name = "rule"

    def __init__(self, check: ProposesCheck) -> None:
        self._check = check

    async def draft(self, material: Material) -> Draft | None:
        """From the newest words that state a rule; None where none do."""
        failure = material.failures.worded
        return self._written(failure) if failure is not None else None

    def _written(self, failure: Failure) -> Draft:
        heard = failure.heard
        assert heard is not None, "a worded failure was heard"
        scope = heard.scope or Scope.KIND
        text = skill_of(
            failure.rule,
            scope=scope,
            kind_of_rule=heard.kind_of_rule,
            asked=_typed_request(failure),
        )
        check = self._check(heard.check, failure.rule, failure.asked, failure.answer.text)
        return Draft(text=check_text(text), check=check, scope=scope)


def _typed_request(failure: Failure) -> str:
    """What the user typed of the request: nothing that was pasted may become its example."""
    asked = (m for m in reversed(failure.messages) if m.role is Role.USER)
    return next((words for m in asked if (words := request_in(said_by_user(m)))), "")
