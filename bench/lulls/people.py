"""The simulated people of the idle benchmark: their daily habits, as invented numbers.

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
    """Whether the machine is a laptop, which sleeps with its lid closed and sometimes runs on
    battery.
    """
    workdays: tuple[float, float] | None = (9.0, 17.5)
    """Start and end hour of work at the machine, Monday to Friday; None: the person does not work
    here.
    """
    evenings: float = 0.5
    """Share of evenings that the person spends at the machine."""
    bedtime: float = 23.3
    """Mean bedtime as an hour of the day; 24.5 is half past midnight."""
    bedtime_spread: float = 0.6
    gets_up: float = 7.0
    sleep_hours: tuple[str, ...] = ()
    """Sleep hours that the person entered in Lull's settings."""
    locks: float = 0.5
    """Probability that the person locks the screen when leaving."""
    auto_lock_min: float | None = 10.0
    meetings: float = 2.0
    """Mean number of meetings per workday, which take the person away from the machine."""
    calls: float = 0.5
    """Mean number of calls per workday, which take place at the machine."""
    in_calendar: float = 0.85
    """Share of meetings and calls that are in the calendar."""
    cancelled: float = 0.1
    """Share of meetings in the calendar that are cancelled, so that the person stays at the
    machine.
    """
    games: float = 0.0
    """Share of evenings with a game that needs the whole machine."""
    films: float = 0.15
    builds: float = 0.0
    """Mean number of builds per day, 3 to 20 minutes each; some run after the person has left."""
    backup_hour: float | None = None
    phone_chats: float = 1.0
    """Number of evenings or nights per week on which the person chats with the model from a
    phone.
    """
    desk_talks: float = 0.5
    """Mean number of conversations with the model per hour at the machine; each answer is read
    without touching anything.
    """
    hot_days: float = 0.02
    closes_lid: float = 0.0
    """Share of nights on which the laptop's lid is closed and the machine sleeps."""


PEOPLE: Final = (
    Person(
        name="office desktop",
        zone="Europe/Berlin",
        evenings=0.0,
        locks=0.7,
        meetings=3.0,
        calls=1.0,
        phone_chats=0.5,
        desk_talks=0.4,
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
        desk_talks=0.6,
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
        desk_talks=1.0,
        hot_days=0.06,
    ),
)
