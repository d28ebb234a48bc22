"""The skill writer that needs no model: a correction that states a rule becomes that rule.

Which words state one, and what a skill of them reads like, is `core.stated_rule`'s business.
"""

from __future__ import annotations

from lull.core.ports import Draft, Material
from lull.core.skill import SkillText, check_text
from lull.core.stated_rule import stated_rule


class ExtractiveEvolver:
    """Implements `core.ports.Evolver`."""

    name = "extractive"

    async def draft(self, material: Material) -> Draft | None:
        """From the newest words that state a rule; None where none do."""
        for failure in material.failures.failures:
            rule = stated_rule(failure.said, asked=failure.asked) if failure.said else None
            if rule is not None:
                text = SkillText(name=rule.name, description=rule.description, body=rule.body)
                return Draft(text=check_text(text))
        return None
