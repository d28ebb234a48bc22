"""The Today page's words for its figures, its work and its rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lull.desktop.words import percent, plain, tr

Json = dict[str, Any]


def figure_titles() -> dict[str, tuple[str, str]]:
    """What the figures count: the words for one, and for any other number."""
    return {
        "proposals": (tr("suggestion to review"), tr("suggestions to review")),
        "skills": (tr("active skill"), tr("active skills")),
        "conversations": (tr("conversation"), tr("conversations")),
    }


def work_words(learning: Json, work: Json) -> str:
    """One line about a piece of work: what is done now, or only what comes next."""
    said = f"{plain(str(work['text']))}. {work.get('why_not') or ''}".strip()
    return said if learning.get("state") == "working" else tr("Next: %1", said)


def reward_words(days: Sequence[Json], today: str) -> tuple[str, str]:
    """Describe the share of good answers, of those scored today and in the two weeks before."""
    before = [day for day in days if day["day"] != today and day["n"]]
    now_ = next((day for day in days if day["day"] == today and day["n"]), None)
    total = sum(day["n"] for day in before)
    usual = sum(day["reward"] * day["n"] for day in before) / total if total else None
    told = tr("%1 in the two weeks before", percent(usual)) if usual is not None else ""
    if now_ is None:
        return "–", told or tr("none scored yet")
    scored = tr("of %1 scored", f"{now_['n']:,}")
    return percent(now_["reward"]), f"{scored}; {told}" if told else scored
