"""The simulated people: what their days are like, in numbers that can be argued with.

None of it is measured. What matters to the policy is that every hard case comes up: people who lock
the screen and people who never do, who read without touching anything, whose calendar is wrong, who
sit up through their own sleep hours, whose machine sleeps, builds, runs hot or leaves the mains.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Person:
    name: str
    zone: str
    laptop: bool = False
    """Its machine sleeps when the lid is closed, and it leaves the mains now and then."""
    workdays: tuple[float, float] | None = (9.0, 17.5)
    """Hours at the machine for work, Monday to Friday; None: no work here."""
    evenings: float = 0.5
    """Share of evenings at the machine."""
    bedtime: float = 23.3
    """Mean hour, 24.5 is half past midnight."""
    bedtime_spread: float = 0.6
    gets_up: float = 7.0
    sleep_hours: tuple[str, ...] = ()
    """What it told Lull."""
    locks: float = 0.5
    """Share of leavings at which it locks the screen."""
    auto_lock_min: float | None = 10.0
    meetings: float = 2.0
    """A workday, away from the machine."""
    calls: float = 0.5
    """A workday, on the machine."""
    in_calendar: float = 0.85
    """Of meetings and calls."""
    cancelled: float = 0.1
    """Of meetings in the calendar that do not happen: it stays at the machine."""
    games: float = 0.0
    """Share of evenings with a game that wants the machine for itself."""
    films: float = 0.15
    builds: float = 0.0
    """A day, of 3 to 20 minutes, some of them after it has left."""
    backup_hour: float | None = None
    phone_chats: float = 1.0
    """Evenings or nights a week on which it asks its model from a phone."""
    hot_days: float = 0.02
    closes_lid: float = 0.0
    """Share of nights on which the machine sleeps."""


PEOPLE: Final = (
    Person(
        name="office desktop",
        zone="Europe/Berlin",
        evenings=0.0,
        locks=0.7,
        meetings=3.0,
        calls=1.0,
        phone_chats=0.5,
    ),
    Person(
        name="home laptop",
        zone="America/New_York",
        laptop=True,
        evenings=0.6,
        locks=0.3,
        auto_lock_min=5.0,
        meetings=0.5,
        calls=2.0,
        closes_lid=0.5,
        sleep_hours=("23:30-07:00",),
        films=0.25,
    ),
    Person(
        name="night owl",
        zone="Australia/Lord_Howe",
        workdays=None,
        evenings=0.95,
        bedtime=25.5,
        bedtime_spread=1.4,
        gets_up=10.0,
        sleep_hours=("00:30-09:30",),
        locks=0.05,
        auto_lock_min=None,
        games=0.4,
        films=0.4,
        phone_chats=3.0,
    ),
    Person(
        name="developer",
        zone="America/Sao_Paulo",
        workdays=(10.0, 19.0),
        evenings=0.5,
        bedtime=24.3,
        bedtime_spread=1.0,
        sleep_hours=("sun-thu 00:00-07:30", "fri-sat 01:00-09:00"),
        locks=0.5,
        builds=5.0,
        backup_hour=3.0,
        phone_chats=2.0,
        hot_days=0.06,
    ),
)
