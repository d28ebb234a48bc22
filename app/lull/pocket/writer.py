"""Writes skills (instruction texts) in the toy language, the only form in which the tiny built-in
model understands a rule.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.feedback.feedback import Scope
from lull.core.skills.ports import EvolverMaterial, SkillDraft
from lull.core.skills.skill import NAME_LIMIT, SkillText, check_text
from lull.pocket.language import RULE_FRAMES, as_sentence
from lull.pocket.parsing import framed_rule
from lull.pocket.reader import rule_sentences

_SILENT: Final = frozenset({"and", "the", "use"})


class PocketWriter:
    """Writes skills (instruction texts) in the toy language's own phrasing from rules that the user
    stated; implements the `Evolver` port.
    """

    name = "pocket"

    async def draft(self, material: EvolverMaterial) -> SkillDraft | None:
        failure = material.failures.newest_worded
        said = rule_sentences(failure.rule) if failure is not None else ()
        rule = framed_rule(said[-1]) if said else None
        if rule is None:
            return None
        kind, clauses = rule
        words = [w for w in re.findall(r"[a-z]+", clauses) if w not in _SILENT]
        text = SkillText(
            name="-".join([kind.value, *words])[:NAME_LIMIT].rstrip("-"),
            description=f"When the user asks for a {kind}.",
            body=as_sentence(RULE_FRAMES[0].format(kind=kind, clauses=clauses)),
        )
        return SkillDraft(text=check_text(text), scope=Scope.KIND)
