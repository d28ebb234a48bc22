"""The settings of the reader, which hears what you say about answers."""

from __future__ import annotations

from dataclasses import dataclass

from lull.config.rules import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    unload_after_s: float = setting(
        120.0,
        "Unused for so long, the reader's process ends and gives its half gigabyte back; it is "
        "there again in some five seconds. Messages of one talk come minutes apart. 0 keeps it.",
        at_least=0,
        at_most=86_400,
    )
