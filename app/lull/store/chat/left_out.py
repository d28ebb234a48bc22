"""Reads and changes the reasons why skills had no room in a prompt: "left out NAME, NAME: REASON".

They are stored with a conversation and name skills that may be forgotten later.
"""

from __future__ import annotations

import re
from typing import Final

_LEFT_OUT: Final = re.compile(r"left out ([^:]*)(:.*)", re.DOTALL)


def left_out_names(why: str) -> list[str]:
    """Return the names of the skills in such a reason; none if the text is something else."""
    found = _LEFT_OUT.fullmatch(why)
    return found[1].split(", ") if found else []


def with_other_name(why: str, name: str, other: str) -> str:
    """Return the reason with a skill's name replaced by another one."""
    if (found := _LEFT_OUT.fullmatch(why)) is None:
        return why
    names = [other if one == name else one for one in left_out_names(why)]
    return f"left out {', '.join(names)}{found[2]}"
