"""Rejects passwords and keys in a skill that is written or edited by hand.

A skill goes into prompts, and each of its versions is stored. The user is told line and kind of the
secret before anything is stored.
"""

from __future__ import annotations

from lull.core.errors import SkillError
from lull.core.secrets.finding import secrets_in
from lull.core.skills.skill import SkillText


def check_no_secrets(text: SkillText) -> SkillText:
    """Return the skill's text unchanged. Raises SkillError if it contains a password or a key."""
    fields = (*text.metadata.items(), ("extra", text.extra), ("body", text.body))
    for where, said in (("name", text.name), ("description", text.description), *fields):
        for begin, _, kind in secrets_in(str(said)):
            line = str(said).count("\n", 0, begin) + 1
            raise SkillError(
                f"Line {line} of the {where} looks like a secret ({kind.replace('-', ' ')}).",
                hint="Take it out: a skill goes into every prompt, and its versions are kept.",
            )
    return text
