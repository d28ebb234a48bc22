"""The script of `lull demo`: the requests, corrections and decisions of a simulated user in one
week.

Only these and the time of day are scripted. The service itself answers with the built-in model,
reads the corrections, proposes and tests skills and trains, as it always does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from lull.cli.demo.service import DemoFailed, PlayedService
from lull.contract import routes
from lull.pocket import language as pocket
from lull.pocket.language import Kind

Json = dict[str, Any]
CLIENTS: Final = ("open-webui", "zed", "ollama-python", "curl")
RULES: Final = {
    "menu": "when you write a menu, join with bars",
    "sweet": "when you write a menu, join with bars and finish with sugar",
    "note": "for a note, end with honey",
    "route": "when you write a route, use arrows",
    "list": "for a list, begin with golden",
    "plan": "for a plan, reverse the words",
    "label": "when you write a label, join with dashes",
}
PROOFS_TIMEOUT_S: Final = 240.0
TRAINING_TIMEOUT_S: Final = 1500.0
UNPROVED_STATUSES: Final = ("screened", "proving")

SETTINGS: Final = """\
# A played week: whether somebody is at the desk stands in a file, and nobody waits for long.
[service]
port = 0

[idle]
source = "file:{signals}"
after_min = 0.1
locked_after_min = 0.1
sure_after_min = 0.1
sleep_hours = ["23:00-06:30"]
blocked_hours = ["mon-fri 09:00-10:00"]

[training]
enabled = false
graduation = false
single_answers = false
"""
FINAL_SETTINGS: Final = """\
[service]
port = 0

[idle]
sleep_hours = ["23:00-06:30"]
blocked_hours = ["mon-fri 09:00-10:00"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPart:
    """A part of the week that `lull demo` plays; `weight` is its expected share of the running
    time.
    """

    text: str
    weight: float
    play: Callable[[], None]


class DemoWeek:
    def __init__(
        self, service: PlayedService, now: datetime, *, seed: int = 11, training: bool = True
    ) -> None:
        """Prepare the demo's week, which ends shortly before `now`, the real time in the user's
        time zone.

        `seed` makes the random requests repeatable; `training` adds a night of training.
        """
        self._service = service
        self._chance = random.Random(seed)
        self._today = now.replace(minute=0, second=0, microsecond=0)
        self._now = now
        self._training = training

    def parts(self) -> list[DemoPart]:
        days = (
            (6, self._first_day),
            (5, self._second_day),
            (4, self._third_day),
            (3, self._fourth_day),
            (2, self._fifth_day),
            (1, self._sixth_day),
        )
        parts: list[DemoPart] = []
        for ago, day in days:
            parts.append(DemoPart(text=self._name(ago), weight=6.0, play=self._in_a_day(ago, day)))
            trains = ago == TRAINING_DAYS_AGO and self._training
            night = self._night_of_training if trains else self._night_of_proofs
            text = "a night of training" if trains else "a night of proofs"
            parts.append(
                DemoPart(
                    text=text, weight=120.0 if trains else 10.0, play=self._at_night(ago, night)
                )
            )
        return [*parts, DemoPart(text="today", weight=6.0, play=self._this_day)]

    def _name(self, ago: int) -> str:
        return (self._today - timedelta(days=ago)).strftime("%A")

    # Running a day and a night

    def _in_a_day(self, ago: int, day: Callable[[], None]) -> Callable[[], None]:
        def play() -> None:
            morning = self._today.replace(hour=8, minute=40) - timedelta(days=ago)
            with self._service.running(morning):
                day()

        return play

    def _at_night(self, ago: int, night: Callable[[], None]) -> Callable[[], None]:
        def play() -> None:
            evening = self._today.replace(hour=23, minute=50) - timedelta(days=ago)
            with self._service.running(evening):
                self._service.leave()
                night()
                self._service.sleep_until(evening.replace(hour=6, minute=35) + timedelta(days=1))
                self._service.come_back()

        return play

    # The days

    def _first_day(self) -> None:
        self._asks(Kind.MENU, Kind.ROUTE, Kind.LABEL, Kind.NOTE)
        self._is_corrected(Kind.MENU, "menu")
        self._asks(Kind.LIST, Kind.MENU, Kind.PLAN, Kind.LABEL)
        self._service.wait_until_settled()
        self._decides("approve", "menu")
        self._asks(Kind.MENU, Kind.MENU, Kind.ROUTE)

    def _second_day(self) -> None:
        self._asks(*[Kind.MENU, Kind.LABEL, Kind.LIST] * 3)
        self._is_corrected(Kind.NOTE, "note")
        self._is_corrected(Kind.LABEL, "label")
        self._asks(*[Kind.PLAN, Kind.LABEL, Kind.MENU] * 2)

    def _third_day(self) -> None:
        self._decides("approve", "note")
        self._decides("defer" if self._training else "approve", "label")
        self._asks(*[Kind.NOTE, Kind.LABEL, Kind.MENU] * 4)
        self._misses_labels()
        self._is_corrected(Kind.LIST, "list")
        self._asks(*[Kind.LABEL, Kind.NOTE] * 4)
        self._misses_labels()

    def _fourth_day(self) -> None:
        self._decides("reject", "list", reason="Only that once.")
        self._asks(*[Kind.LABEL, Kind.MENU, Kind.NOTE, Kind.LABEL] * 4)
        self._misses_labels()
        self._is_corrected(Kind.ROUTE, "route", client="anna", apart=True)
        self._asks(*[Kind.LABEL, Kind.ROUTE] * 4)
        self._misses_labels()

    def _fifth_day(self) -> None:
        self._decides("approve", "route")
        self._asks(*[Kind.LABEL, Kind.MENU, Kind.NOTE] * 4)
        for _ in range(3):
            self._ask(Kind.ROUTE, client="anna", apart=True)
        self._is_corrected(Kind.MENU, "sweet")

    def _sixth_day(self) -> None:
        self._decides("approve", "sweet")
        self._asks(*[Kind.LABEL, Kind.LABEL, Kind.NOTE, Kind.MENU] * 4)
        self._asks(*[Kind.PLAN, Kind.LABEL] * 3)
        # The last correction is left for the user to decide.
        self._is_corrected(Kind.PLAN, "plan")

    def _this_day(self) -> None:
        """Play the demo's last day, today, starting up to two hours ago."""
        begin = max(self._now.replace(hour=0, minute=20), self._now - timedelta(hours=2))
        with self._service.running(begin):
            self._asks(Kind.MENU, Kind.LABEL, Kind.NOTE, Kind.ROUTE, minutes=(1, 9))

    # The nights

    def _night_of_proofs(self) -> None:
        """Wait until the service has no proposed skill left to test."""
        self._service.wait_until(self._nothing_to_prove, within_s=PROOFS_TIMEOUT_S)

    def _nothing_to_prove(self) -> bool:
        return not any(one["status"] in UNPROVED_STATUSES for one in self._service.proposals())

    def _night_of_training(self) -> None:
        control = self._service.control()
        control.post(routes.SETTINGS, {"key": "training.enabled", "value": "true"})
        if not self._service.wait_until(self._trained, within_s=TRAINING_TIMEOUT_S):
            raise DemoFailed(
                f"The night's training did not end in {TRAINING_TIMEOUT_S / 60:.0f} min.",
                hint="`lull demo --quick` leaves it out.",
            )
        control.post(routes.SETTINGS, {"key": "training.enabled", "value": "false"})

    def _trained(self) -> bool:
        runs = self._service.control().get(routes.TRAIN)["runs"]
        return any(run["status"] in ENDED_STATUSES for run in runs)

    # Actions of the user

    def _asks(self, *kinds: Kind, minutes: tuple[int, int] = (3, 34)) -> None:
        for kind in kinds:
            self._ask(kind)
            self._service.played.skip(timedelta(minutes=self._chance.randint(*minutes) / 2))

    def _ask(self, kind: Kind, *, client: str = "", apart: bool = False) -> None:
        talk = self._service.talk(client or self._chance.choice(CLIENTS), apart=apart)
        talk.says(self._request(kind))
        if self._chance.random() < THANKS_SHARE:
            talk.says("thanks")
        if self._chance.random() < RATED_SHARE:
            self._service.rate_last("good")

    def _is_corrected(
        self, kind: Kind, rule: str, *, client: str = "", apart: bool = False
    ) -> None:
        for _ in range(MOST_CORRECTIONS):
            talk = self._service.talk(client or CLIENTS[0], apart=apart)
            talk.says(self._request(kind))
            self._service.played.skip(timedelta(seconds=40))
            talk.says(f"no, {RULES[rule]}")
            self._service.played.skip(timedelta(minutes=6))
            # Corrections are read in the background, so wait before the day ends. A conversation
            # left without the skill by chance teaches nothing, so try again.
            if self._service.wait_until(
                lambda: bool(self._proposed(rule)), within_s=PROPOSAL_TIMEOUT_S
            ):
                return

    def _misses_labels(self) -> None:
        """Correct labels again, for the night's training to learn from.

        With training on, no skill for labels is approved; without it, the skill is approved.
        """
        if self._training:
            self._is_corrected(Kind.LABEL, "label")

    def _request(self, kind: Kind) -> str:
        return pocket.draw_request(self._chance, kind, pocket.draw_words(self._chance))

    def _decides(self, action: str, rule: str, **more: object) -> None:
        """Play the user's decision (`action`) on the proposed skills that came from this rule, if
        any.
        """
        for proposal in self._proposed(rule):
            self._service.decide(proposal, action, **more)

    def _proposed(self, rule: str) -> list[Json]:
        """Return the undecided proposals that mention the rule's kind of request."""
        kind = RULES[rule].split(",")[0].split()[-1]
        found = self._service.proposals()
        return [one for one in found if kind in f"{one['name']} {one['body']}".lower()]


PROPOSAL_TIMEOUT_S: Final = 20.0
MOST_CORRECTIONS: Final = 3
"""How often at most the simulated user repeats a correction."""
THANKS_SHARE: Final = 0.2
RATED_SHARE: Final = 0.15
TRAINING_DAYS_AGO: Final = 3
"""Number of days from the demo's night of training to the demo's end."""
ENDED_STATUSES: Final = ("promoted", "trial", "rejected", "failed")


@contextmanager
def played_settings(service: PlayedService) -> Iterator[None]:
    """Context manager that writes the settings file for the time in which the demo is played.

    On exit it writes the settings that stay in the demo's data folder instead.
    """
    file = service.paths.settings
    file.write_text(SETTINGS.format(signals=service.desk.file))
    try:
        yield
    finally:
        file.write_text(FINAL_SETTINGS)
