"""Which data parameters may be picked on, and which they are only measured on, once.

The split was drawn before anything was tried: rule sets by their seeds, the days of MetaClaw-Bench
and the people who wrote small talk by a seeded shuffle.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from bench.report import ROOT
from bench.retrieval.collection import Collection

TALK = ROOT / "bench" / "kinds" / "requests.jsonl"
_DRAWN = "retrieval, picked on"
PICKED_DAYS = 5


class Part(StrEnum):
    PICKED_ON = "picked on"
    HELD_OUT = "held out"

    @property
    def seed(self) -> int:
        """The seed whose rule sets and surrounding skills are this part."""
        return 0 if self is Part.PICKED_ON else 8


def of_part(collection: Collection, part: Part) -> Collection:
    """The collection with only this part's days to be found; the others are still remembered."""
    days = sorted({one.day for one in collection.asked})
    random.Random(_DRAWN).shuffle(days)
    picked = days[:PICKED_DAYS] if part is Part.PICKED_ON else days[PICKED_DAYS:]
    return replace(collection, days=frozenset(picked))


def fresh_talk(part: Part) -> tuple[str, ...]:
    """Small talk that people wrote for another purpose, of this part's half of the people."""
    lines = [json.loads(line) for line in TALK.read_text("utf-8").splitlines()]
    talk = [line for line in lines if line["kind"] == "small talk"]
    people: Sequence[str] = sorted({line["person"] for line in talk})
    shuffled = list(people)
    random.Random(_DRAWN).shuffle(shuffled)
    half = len(shuffled) // 2
    these = set(shuffled[:half] if part is Part.PICKED_ON else shuffled[half:])
    return tuple(line["request"] for line in talk if line["person"] in these)
