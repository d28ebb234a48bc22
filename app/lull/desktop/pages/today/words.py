"""Writes the Today page's texts about its numbers of skills and conversations, the background work
and the share of good answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.contract.json_object import Json
from lull.desktop.language.words import count, named, percent, tr, translated
from lull.desktop.shared.learning_feed import good_words


def count_nouns() -> dict[str, tuple[str, str]]:
    """Return the nouns for the numbers on the Today page, such as ("active skill", "active
    skills"), as (singular, plural) by key.
    """
    return {
        "proposals": (tr("suggestion to review"), tr("suggestions to review")),
        "skills": (tr("active skill"), tr("active skills")),
        "conversations": (tr("conversation"), tr("conversations")),
    }


def condition_names() -> dict[str, str]:
    """Return the titles of the conditions for background work, by their keys."""
    return {
        "learning": tr("Learning"),
        "pause": named("gate pause", "Pause"),
        "input": tr("You"),
        "chat": tr("Chat"),
        "wake": tr("Awake"),
        "call": tr("Call"),
        "app": tr("Programs"),
        "calendar": tr("Calendar"),
        "hours": tr("Hours"),
        "low power": tr("Low power"),
        "power": tr("Power"),
        "heat": tr("Heat"),
        "memory": tr("Memory"),
        "load": tr("CPU"),
        "wait": tr("Idle time"),
    }


def work_lines(learning: Json, tested: str = "") -> list[str]:
    """Describe Lull's background work, such as a training run, in a line for each piece: what it
    does now, what it does next, and what after that.

    `tested` is the name of the proposed skill that is tested now because the user asked for it,
    which does not come next as well.
    """
    working = learning.get("state") == "working"
    lines = []
    works = [one for one in learning.get("work") or () if not (tested and _tests(one, tested))]
    for number, work in enumerate(works):
        said = f"{translated(work)}. {translated(work, 'why_not')}".strip()
        place = number + (not working)
        lines.append((said, tr("Next: %1", said), tr("Then: %1", said))[min(place, 2)])
    return lines


def _tests(work: Json, name: str) -> bool:
    return work.get("code") == "work-proof" and work.get("values") == [{"skill": name}]


def reward_words(days: Sequence[Json], today: str) -> tuple[str, str]:
    """Return how many of today's scored answers were good, and a text that compares it with
    the two weeks before.

    `days` are the service's numbers by day; only scored answers count.
    """
    before = [day for day in days if day["day"] != today and day["n"]]
    now_ = next((day for day in days if day["day"] == today and day["n"]), None)
    total = sum(day["n"] for day in before)
    usual = sum(day["reward"] * day["n"] for day in before) / total if total else None
    told = tr("%1 in the two weeks before", percent(usual)) if usual is not None else ""
    if now_ is None:
        return "–", told or tr("none scored yet")
    scored = tr("of %1 scored", count(now_["n"]))
    good = good_words(now_["reward"], now_["n"])
    return good, f"{scored}; {told}" if told else scored
