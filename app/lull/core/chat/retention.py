"""Decides which old conversations are deleted, and when the user is asked first.

A conversation is deleted for its age when two clocks agree that it is too old: the wall clock, and
the count of days on which Lull ran. To save space, the oldest conversations by that day count go
first, because a wrong clock misdates new ones. More than a tenth of the stored conversations is
never deleted without asking, however many sweeps share a day
(`UnaskedDeletions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from lull.core.chat.day_count import DayCount

MOST_AT_ONCE: Final = 20
"""Most conversations that are deleted in one go."""
UNASKED_SHARE: Final = 0.1
"""Largest share of all conversations that may be deleted in a day without asking the user."""
TRASH_DAYS: Final = 7
"""Fewest days that deleted conversations can be restored from the trash."""
RESTORED_BORN: Final = 1e12
"""Day number given to conversations that the user restored from the trash, so that they never
expire again.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """A stored conversation's id and age, by which Lull decides whether to delete the
    conversation.
    """

    id: str
    last: datetime
    """When the conversation's newest turn was recorded, by the wall clock of that time."""
    born: float
    """When the conversation's newest turn was recorded, as a day of Lull's own day count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How old and how large the recorded conversations may become before the oldest are deleted."""

    days: int = 0
    """Age limit in days; 0: no limit."""
    most_bytes: int = 0
    """Size limit in bytes; 0: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlan:
    """What to do about old conversations: which to delete now, and about how many to ask the user
    first, by the limits of age and size.
    """

    go: tuple[str, ...] = ()
    """Ids of the conversations to delete now, oldest first; empty if the user must be asked."""
    by_age: bool = False
    """Whether some conversations are deleted for their age."""
    ask: int = 0
    """Number of conversations to ask the user about before deleting; 0: no question."""
    doubted: int = 0
    """Number of conversations asked about that are too old only by the wall clock, not by Lull's
    own day count.
    """
    held: bool = False
    """Whether conversations beyond the limits stay because they are too many to delete unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnaskedDeletions:
    """Counts the conversations that were deleted without asking the user: those of one day or,
    while a question about more deletions is unanswered, those of that day and all later ones.
    """

    day: int = 0
    """The day of the count, by Lull's own count of days."""
    gone: int = 0
    waits: bool = False
    """Whether the user was asked about more deletions and has not answered. The count then goes on;
    otherwise each new day would take another tenth of what the question is about.
    """

    def on(self, day: float) -> UnaskedDeletions:
        """Return the count of conversations deleted without asking as it applies on this day: a new
        day starts at 0, unless a question to the user is still unanswered.
        """
        return self if self.waits or int(day) == self.day else UnaskedDeletions(day=int(day))

    def more(self, count: int) -> UnaskedDeletions:
        """Return the count after so many more deletions."""
        return replace(self, gone=self.gone + count)


NONE_GONE: Final = UnaskedDeletions()
EQUAL_SIZES: Final[Mapping[str, int]] = MappingProxyType({})


def plan(
    kept: Sequence[StoredConversation],
    limits: Limits,
    *,
    lived: DayCount,
    now: datetime,
    used_bytes: int,
    sizes: Mapping[str, int] = EQUAL_SIZES,
    unasked: UnaskedDeletions = NONE_GONE,
    asked: bool = False,
) -> SweepPlan:
    """Plan which stored conversations to delete, and whether to ask the user first.

    `asked` says that the user has agreed to delete all that are too old by the wall clock or exceed
    the size limit. `sizes` holds the sizes of conversations by id, in any unit; `unasked` counts
    those already deleted without asking.
    """
    by_wall = [one for one in kept if _old_by_wall(one, limits, now)]
    by_both = [one for one in by_wall if lived.age(one.born) > limits.days]
    aged = by_wall if asked else by_both
    over = _over(kept, limits, used_bytes, sizes)
    go = sorted({one.id: one for one in (*aged, *over)}.values(), key=_eldest)
    ids = tuple(one.id for one in go)
    if asked:
        return SweepPlan(go=ids, by_age=bool(aged))
    doubted = len(by_wall) - len(by_both)
    # Counted with what went before: else every step of a sweep would take a tenth of the rest.
    if _too_many(unasked.gone + len(go), unasked.gone + len(kept)):
        ask = len({one.id for one in (*by_wall, *over)})
        return SweepPlan(ask=ask, doubted=doubted, held=bool(go))
    ask = doubted if _too_many(doubted, len(kept)) else 0
    return SweepPlan(go=ids, by_age=bool(by_both), ask=ask, doubted=ask)


def _too_many(go: int, of: int) -> bool:
    return go > UNASKED_SHARE * of


def _old_by_wall(one: StoredConversation, limits: Limits, now: datetime) -> bool:
    old = limits.days > 0 and now - one.last > timedelta(days=limits.days)
    return old and one.born < RESTORED_BORN


def _over(
    kept: Sequence[StoredConversation], limits: Limits, used_bytes: int, sizes: Mapping[str, int]
) -> list[StoredConversation]:
    """Return the oldest conversations in excess of the size limit, by an estimate that the next
    step of the sweep corrects.
    """
    if not limits.most_bytes or used_bytes <= limits.most_bytes or not kept:
        return []
    eldest = sorted(kept, key=_eldest)
    # All room taken is shared out by size, for a conversation takes more than its words.
    known = [sizes.get(one.id, 1) for one in eldest]
    room = sum(known) * (used_bytes - limits.most_bytes) / used_bytes
    count = sum(freed <= room for freed in accumulate(known))
    return eldest[: max(1, count)]


def _eldest(one: StoredConversation) -> tuple[float, datetime, str]:
    return int(one.born), one.last, one.id


def may_be_emptied(*, born: float, at: datetime, lived: DayCount, now: datetime) -> bool:
    """Whether conversations have been in the trash long enough to be deleted for good, both by the
    wall clock and by the number of days on which Lull ran. They were put there on day `born` of
    that count, at the time `at`.
    """
    return lived.age(born) >= TRASH_DAYS and now - at >= timedelta(days=TRASH_DAYS)
