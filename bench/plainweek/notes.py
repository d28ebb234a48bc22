"""What a person's own programs put into the system message, in the arms without Lull's skills.

Each correction stands in the same form as Lull would put it into a prompt, because the built-in
model was taught to read rules in that form, and a rival that it cannot read would be none.
"""

from __future__ import annotations

from bench.plainweek.people import DESK, Person, Request, Said
from bench.workweek.arms import Pasted
from bench.workweek.person import Fault
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.prompt_block import merged_system, skills_block
from lull.core.skills.stated_skill import skill_of


class Notes:
    """The corrections so far, and those of them that are pasted."""

    def __init__(self, person: Person, pasted: Pasted) -> None:
        self._person = person
        self._pasted = pasted
        self._last: dict[tuple[str, str], str] = {}
        self._all: list[str] = []

    def said(self, request: Request, said: Said) -> None:
        """Note a correction. Who pastes by hand leaves out what says nothing."""
        rule = _body(said.text, request, own_kind=request.habit == "kind")
        if said.fault is not Fault.SLIP:
            self._last[request.client, request.habit] = rule
        if rule not in self._all:
            self._all.append(rule)

    def system(self, request: Request) -> str:
        """Return the system message for a request; "" for none."""
        match self._pasted:
            case Pasted.LAST:
                rules = [rule for (whose, _), rule in self._last.items() if whose == request.client]
            case Pasted.EVERYTHING:
                rules = self._all
            case Pasted.ORACLE:
                wish = self._person.wish(request.habit, request.day)
                rules = [_body(wish, request, own_kind=False)] if wish else []
            case Pasted.NOTHING:
                rules = []
        own = self._person.system if request.client == DESK else ""
        block = skills_block(rules)
        return merged_system(own, block) if block else own


def _body(text: str, request: Request, *, own_kind: bool) -> str:
    """Return a rule as Lull would write it, for every request or for those of its kind."""
    scope = Scope.KIND if own_kind else Scope.ALL
    return skill_of(text, scope=scope, kind_of_rule=RuleKind.PREFERENCE, asked=request.text).body
