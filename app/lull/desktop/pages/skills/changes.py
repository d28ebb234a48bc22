"""Describes changes of skills and LoRA adapters as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lull.desktop.words import plain, tr

Json = dict[str, Any]


def change_words(change: Json) -> str:
    """Describe what a generation (numbered version) of the skill library changed, such as
    "menu-style was approved".
    """
    detail = plain(str(change.get("detail") or ""))
    what = detail.partition(" ")[2] or detail
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
        "undo": tr("%1 was undone", detail.removeprefix("take back ")),
        "rollback": tr("went back to: %1", what),
    }
    return words.get(str(change.get("change")), detail)


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


def newest_changes(learning: Json, most: int) -> Sequence[tuple[str, str]]:
    """Return the newest changes of skills and adapters as (ISO time, sentence), newest first."""
    found = [(str(one["at"]), change_words(one)) for one in learning.get("generations") or ()]
    found += [(str(one["at"]), move_words(one)) for one in learning.get("moves") or ()]
    return sorted(found, reverse=True)[:most]
