"""Describes in sentences the changes of the active skills and of the LoRA adapter in use, and what
tests turned down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.core.skills.skill import SKILL_NAME
from lull.desktop.language.words import (
    counted,
    plain,
    reword_for_window,
    skill_title,
    tr,
    translated,
)


def change_words(change: Json) -> str:
    """Describe what a generation (numbered version) of the skill library changed, such as
    "“Menu style” was approved".
    """
    detail = plain(str(change.get("detail") or ""))
    kind = str(change.get("change"))
    if said := _counted_or_reasoned(kind, detail):
        return said
    what = _titles((detail.partition(" ")[2] or detail).removeprefix("by hand: "))
    words = {
        "add": tr("%1 was added", what),
        "edit": tr("%1 was changed", what),
        "pin": tr("%1 was pinned", what),
        "unpin": tr("%1 was unpinned", what),
        "disable": tr("%1 was disabled", what),
        "enable": tr("%1 was enabled", what),
        "delete": tr("%1 was archived", what),
        "import": tr("imported: %1", what),
        "hand-edit": tr("edited by hand: %1", what),
        "approve": tr("%1 was approved", what),
        "retire": tr("%1 was removed", what),
        "undo": tr("%1 was undone", _titles(detail.removeprefix("take back "))),
        "rollback": tr("went back to: %1", what),
    }
    return words.get(kind, detail)


_SHIPPED: Final = re.compile(r"import (\d+) that Lull ships")
_COPIED: Final = re.compile(r"copy (\S+) to (\S+)")
_BACK: Final = re.compile(r"roll back to generation (\d+)")
_SET_BACK: Final = re.compile(r"set back: (.+)", re.DOTALL)
_RETIRED: Final = re.compile(r"retire (\S+): (.+)", re.DOTALL)


def _counted_or_reasoned(kind: str, detail: str) -> str:
    """Describe a change whose stored detail has a form of its own; "" for every other."""
    if kind == "import" and (found := _SHIPPED.fullmatch(detail)):
        number = int(found[1])
        return counted(
            number,
            "%1 skill that ships with Lull was added",
            "%1 skills that ship with Lull were added",
        )
    if kind == "add" and (found := _COPIED.fullmatch(detail)):
        if found[2] == "everybody":
            return tr("%1 was added for all chat apps", _titles(found[1]))
        return tr("%1 was added for the chat app %2", _titles(found[1]), found[2])
    if kind == "rollback" and (found := _BACK.fullmatch(detail)):
        return tr("went back to version %1 of the skills", found[1])
    if kind == "rollback" and (found := _SET_BACK.fullmatch(detail)):
        return tr("skills were restored: %1", reword_for_window(found[1]))
    if kind == "retire" and (found := _RETIRED.fullmatch(detail)):
        return tr("%1 was removed: %2", _titles(found[1]), reword_for_window(found[2]))
    return ""


def _titles(names: str) -> str:
    """Return skills as they are read within a sentence; anything else stays as it is."""
    parts = names.split(", ")
    return ", ".join(
        tr("“%1”", skill_title(one)) if SKILL_NAME.fullmatch(one) else one for one in parts
    )


def move_words(move: Json) -> str:
    """Describe in a few words a change of the LoRA adapter in use: one on trial, one put into use,
    or a rollback.
    """
    name = plain(str(move.get("shadow") or move.get("active") or tr("no adapter")))
    match move.get("move"):
        case "trial":
            return tr("%1 on trial", name)
        case "promote":
            return tr("%1 in use", name)
    return tr("back to %1", plain(str(move.get("active") or tr("no adapter"))))


def turned_down_words(proposal: Json) -> str:
    """Say that the test of a suggestion turned it down, and why."""
    title = tr("“%1”", skill_title(proposal["name"]))
    return tr("%1 was turned down by its test: %2", title, translated(proposal, "reason"))


def newest_changes(
    learning: Json, most: int, *, turned_down: Iterable[Json] = ()
) -> Sequence[tuple[str, str]]:
    """Return the newest changes of the active skills and of the LoRA adapter in use, and the
    suggestions that their tests turned down, as (ISO time, sentence), newest first.
    """
    found = [(str(one["at"]), change_words(one)) for one in learning.get("generations") or ()]
    found += [(str(one["at"]), move_words(one)) for one in learning.get("moves") or ()]
    found += [(str(one["at"]), turned_down_words(one)) for one in turned_down]
    return sorted(found, reverse=True)[:most]
