"""Finds passwords and keys in a skill that is written or edited by hand, and in the files of a
skill's folder.

A skill goes into prompts, each of its versions is stored, and the other files of its folder go
along with copies and exports. The user is told line and kind of the secret before anything is
stored.
"""

from __future__ import annotations

import codecs

from lull.core.errors import SkillError
from lull.core.secrets.finding import Secret, secrets_in
from lull.core.skills.skill import SkillText


def check_no_secrets(text: SkillText) -> SkillText:
    """Return the skill's text unchanged. Raises SkillError if it contains a password or a key."""
    # A key may be what tells that a line below it is a secret.
    named = ((key, f"{key}: {value}") for key, value in text.metadata.items())
    below = (
        (key, "\n" * line + f"{key}: {said}")
        for key, value in text.metadata.items()
        for line, said in enumerate(value.split("\n"))
    )
    fields = (*named, *below, ("extra", text.extra), ("body", text.body))
    for where, said in (("name", text.name), ("description", text.description), *fields):
        for begin, _, kind in secrets_in(said):
            line = said.count("\n", 0, begin) + 1
            raise SkillError(
                f"Line {line} of the {where} looks like a secret ({kind.replace('-', ' ')}).",
                hint="Take it out: a skill goes into every prompt, and its versions are kept.",
            )
    return text


def secret_in_name(name: str) -> str:
    """Return the kind of the password or key that a file's name is or contains; "" if there is
    none.
    """
    found = _found_in_name(name)
    return found[0].kind.replace("-", " ") if found else ""


def name_without_secrets(name: str) -> str:
    """Return a file's name with a mark in place of each password and key in it, so that the user
    knows which file is meant.
    """
    shown, at = "", 0
    for begin, end, _ in sorted(_found_in_name(name)):
        if begin >= at:
            shown += f"{name[at:begin]}⟨secret⟩"
        at = max(at, end)
    return shown + name[at:]


def _found_in_name(name: str) -> list[Secret]:
    # A dot ends a secret here, as one before `.txt`, where in a text it could go on.
    return [*secrets_in(name), *secrets_in(name.replace(".", " "))]


def first_secret(data: bytes) -> tuple[int, str] | None:
    """Return line and kind of the first password or key in a file of any form; None without one.

    Only what stands there as UTF-8 or, after a byte order mark, UTF-16 is recognised.
    """
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if wide else "utf-8", "replace")
    for begin, _, kind in secrets_in(text):
        return text.count("\n", 0, begin) + 1, kind.replace("-", " ")
    return None
