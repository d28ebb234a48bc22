"""The everyday requests of the simulated user in `lull demo`; none is made twice in one week."""

from __future__ import annotations

import random
from collections.abc import Iterator
from enum import StrEnum
from typing import Final


class Wanted(StrEnum):
    """The kinds of requests that the simulated user of `lull demo` makes, such as for ideas or for
    a mail.
    """

    IDEAS = "ideas"
    MAIL = "mail"
    MEANING = "meaning"
    OTHER = "other"


_FRAMES: Final = {
    Wanted.IDEAS: "Give me three ideas for {}.",
    Wanted.MAIL: "Write a mail to {}.",
    Wanted.MEANING: "What is {}?",
    Wanted.OTHER: "{}",
}
_ABOUT: Final = {
    Wanted.IDEAS: (
        "a picnic", "a birthday present for my brother", "a rainy Sunday with two children",
        "a school fair stall", "a small balcony", "a quick supper with leeks",
        "a walk near the sea", "a long train ride", "a team lunch", "a garden with little sun",
        "a present under ten euros", "a puppet show", "a reading corner", "a weekend in Lyon",
        "a costume party", "a soup for six", "a shady corner", "a thank-you card",
        "a game without a board", "a small kitchen", "a night in a tent", "a street party",
        "an evening without a screen", "a breakfast in bed",
    ),
    Wanted.MAIL: (
        "Tom that the parcel is late", "Ruth that I can't come on Friday",
        "our landlord that the heating is cold", "Jonas that his bicycle is ready",
        "the library that I lost a book", "Mia that the meeting is at ten",
        "my neighbour that I found his cat", "the dentist that I need a new date",
        "Paul that the car is sold", "the choir that we meet in the small hall",
        "Eva that her keys are here", "the baker that I need forty rolls on Sunday",
    ),
    Wanted.MEANING: (
        "a heat pump", "a sourdough starter", "a fjord", "compound interest", "a haiku",
        "a spirit level", "a keystone", "a tide table", "a carburettor", "a glacier",
        "a sundial", "yeast", "a metronome", "a weir", "a pulley", "a lighthouse", "a dowel",
        "a solstice", "a ledger", "a trellis", "a sonnet", "a thermostat", "a delta",
        "a barometer",
    ),
    Wanted.OTHER: (
        "How do I get a wine stain out of a shirt?", "Tell me one thing about otters.",
        "Why is the sky red in the evening?", "How long do eggs keep?",
        "Which month is best to plant garlic?", "How can I sleep better on a train?",
        "What do hedgehogs eat?", "How do I clean a cast-iron pan?", "When do swallows leave?",
    ),
}  # fmt: skip


def requests_about(wanted: Wanted, chance: random.Random) -> Iterator[str]:
    """Yield the simulated user's requests of one kind, such as for a mail, in random order, each
    once.
    """
    about = list(_ABOUT[wanted])
    chance.shuffle(about)
    for one in about:
        yield _FRAMES[wanted].format(one)
