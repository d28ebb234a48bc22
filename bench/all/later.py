"""Goals that a bench asks since its stored file was made: missed until a file holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    goal: str
    limit: float
    at_most: bool = True
    instead_of: str = ""
    """The older goal that this one replaces: shown, and no longer counted as one that holds."""
    known: Callable[[Document], str] = lambda document: ""
    """What the file's own rows say of it all the same."""


def asked(document: Document, later: Sequence[Later]) -> list[dict[str, Any]]:
    """Return the goals of a stored file, and behind them those that it lacks, as missed."""
    stored = {goal["goal"] for goal in document["goals"]}
    lacking = [one for one in later if one.goal not in stored]
    replaced = {one.instead_of for one in lacking}
    made = [{**goal, "replaced": goal["goal"] in replaced} for goal in document["goals"]]
    for one in lacking:
        known = one.known(document)
        made.append(
            {
                "goal": one.goal,
                "value": None,
                "limit": one.limit,
                "sign": "≤" if one.at_most else "≥",
                "holds": False,
                "replaced": False,
                "why_not": f"not in the file{f', {known}' if known else ''}",
            }
        )
    return made
