"""The script of `lull demo`: the requests, corrections and decisions of a simulated user in one
week.

Only these and the time of day are scripted. The service itself answers with the built-in model,
reads the corrections, proposes skills and tests them, as it always does. Whether the user is
content with an answer follows from the answer: a few exact checks say whether it keeps their
wishes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from lull.cli.demo.requests import Wanted, requests_about
from lull.cli.demo.service import DemoConversation, PlayedService, say_at_once
from lull.contract.json_object import Json
from lull.core.checks.check import Check, CheckKind
from lull.core.checks.check_answer import passes_check

CLIENTS: Final = ("open-webui", "zed", "ollama-python", "curl")

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
"""
FINAL_SETTINGS: Final = """\
[service]
port = 0

[idle]
sleep_hours = ["23:00-06:30"]
blocked_hours = ["mon-fri 09:00-10:00"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWish:
    """What the demo's user wants of answers to one kind of request, from the first day on, whether
    they have said so yet or not.
    """

    wanted: Wanted
    said: str
    """The correction by which they say it."""
    words: str
    """Words by which its proposal is known."""
    check: Check


IDEAS: Final = DemoWish(
    wanted=Wanted.IDEAS,
    said="No, use bullet points when I ask you for ideas.",
    words="bullet points",
    check=Check(kind=CheckKind.BULLETS),
)
MEANINGS: Final = DemoWish(
    wanted=Wanted.MEANING,
    said="Too long. When I ask what something is, answer in at most 25 words.",
    words="25 words",
    check=Check(kind=CheckKind.WORDS, at_most=25),
)
MAILS: Final = DemoWish(
    wanted=Wanted.MAIL,
    said="No, begin my mails with an emoji.",
    words="emoji",
    check=Check(kind=CheckKind.EMOJIS, value="start"),
)
"""Said on the last day, and left untested to whoever looks at the demo."""
SMALL_LETTERS: Final = DemoWish(
    wanted=Wanted.OTHER,
    said="No, always answer in lower case.",
    words="lower case",
    check=Check(kind=CheckKind.LOWER_CASE),
)
"""Said by another client, and rejected by the user."""
WISHES: Final = (IDEAS, MEANINGS, MAILS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPart:
    """A part of the week that `lull demo` simulates; `weight` is its expected share of the running
    time.
    """

    text: str
    weight: float
    play: Callable[[], None]


class DemoWeek:
    """The week that the demo plays: its conversations, corrections and nights, one part after the
    other.
    """

    def __init__(self, service: PlayedService, now: datetime, *, seed: int = 11) -> None:
        """Prepare the demo's week, which ends shortly before `now`, the real time in the user's
        time zone.

        `seed` makes the random requests repeatable.
        """
        self._service = service
        self._chance = random.Random(seed)
        self._today = now.replace(minute=0, second=0, microsecond=0)
        self._now = now
        self._requests = {wanted: requests_about(wanted, self._chance) for wanted in Wanted}

    def parts(self) -> list[DemoPart]:
        """Return the parts of the simulated week, the earliest first."""
        days = (
            (6, self._first_day),
            (5, self._second_day),
            (4, self._third_day),
            (3, self._fourth_day),
            (2, self._fifth_day),
            (1, self._sixth_day),
        )
        return [
            *(
                DemoPart(
                    text=self._name(ago),
                    weight=4.0 if ago > 4 else 1.0,
                    play=self._in_a_day(ago, day),
                )
                for ago, day in days
            ),
            DemoPart(text="today", weight=1.0, play=self._this_day),
        ]

    def _name(self, ago: int) -> str:
        return (self._today - timedelta(days=ago)).strftime("%A")

    # Running a day

    def _in_a_day(self, ago: int, day: Callable[[], None]) -> Callable[[], None]:
        def play() -> None:
            morning = self._today.replace(hour=8, minute=40) - timedelta(days=ago)
            with self._service.running(morning):
                day()

        return play

    # The days

    def _first_day(self) -> None:
        self._asks(*MUCH, Wanted.MAIL, Wanted.OTHER)
        self._corrects(IDEAS)
        self._service.wait_until_settled()

    def _second_day(self) -> None:
        self._asks(*MUCH, Wanted.OTHER)
        self._approves(IDEAS)
        self._corrects(MEANINGS)
        self._service.wait_until_settled()

    def _third_day(self) -> None:
        self._approves(MEANINGS)
        self._asks(Wanted.MEANING, Wanted.IDEAS, Wanted.MAIL)

    def _fourth_day(self) -> None:
        self._asks(Wanted.IDEAS, Wanted.MEANING)
        self._corrects(SMALL_LETTERS, client="anna", apart=True)
        self._rejects(SMALL_LETTERS, "Only that once.")

    def _fifth_day(self) -> None:
        self._asks(*MUCH, Wanted.OTHER)

    def _sixth_day(self) -> None:
        self._asks(*MUCH)
        # The last correction is left for the user to test and to decide.
        self._corrects(MAILS)

    def _this_day(self) -> None:
        """Play the demo's last day, today, starting up to two hours ago."""
        begin = max(self._now.replace(hour=0, minute=20), self._now - timedelta(hours=2))
        with self._service.running(begin):
            self._asks(*MUCH, Wanted.OTHER, minutes=(1, 9))

    # Actions of the user

    def _asks(self, *wanted: Wanted, minutes: tuple[int, int] = (3, 34)) -> None:
        """Ask for several things, each in a chat of its own; show now and then whether the answers
        keep the user's wishes.

        All are asked at the same time, which the built-in model answers in hardly more time than
        one: a demo is waited for.
        """
        asked = [(next(self._requests[one]), self._chance.choice(CLIENTS)) for one in wanted]
        talks = [self._service.talk(client) for _, client in asked]
        answers = say_at_once([(talk, said) for talk, (said, _) in zip(talks, asked, strict=True)])
        contented: list[DemoConversation] = []
        for one, talk, answer in zip(wanted, talks, answers, strict=True):
            self._service.played.skip(timedelta(minutes=self._chance.randint(*minutes) / 2))
            told = self._chance.random()
            wishes = [wish for wish in WISHES if wish.wanted is one]
            content = all(passes_check(wish.check, answer) for wish in wishes)
            if wishes and told < RATED_SHARE:
                self._service.rate(talk, "good" if content else "bad")
            elif content and told > 1 - THANKS_SHARE:
                contented.append(talk)
        say_at_once([(talk, "Thanks!") for talk in contented])

    def _corrects(self, wish: DemoWish, *, client: str = "", apart: bool = False) -> None:
        """Ask until an answer breaks the wish, and say so until the service has heard it."""
        for _ in range(MOST_CORRECTIONS):
            talk = self._service.talk(client or CLIENTS[0], apart=apart)
            answer = talk.says(next(self._requests[wish.wanted]))
            self._service.played.skip(timedelta(seconds=40))
            if passes_check(wish.check, answer):
                continue
            talk.says(wish.said)
            self._service.played.skip(timedelta(minutes=6))
            # Corrections are read in the background, so wait before the day ends. A conversation
            # left without the skill by chance teaches nothing, so try again.
            if self._service.wait_until(
                lambda: bool(self._proposed(wish)), within_s=PROPOSAL_TIMEOUT_S
            ):
                return

    def _approves(self, wish: DemoWish) -> None:
        """Approve the proposal that came from this wish, if its proof says that it helps."""
        for proposal in self._proposed(wish)[:1]:
            if proposal["status"] == "proved":
                self._service.decide(proposal, "approve")

    def _rejects(self, wish: DemoWish, reason: str) -> None:
        for proposal in self._proposed(wish):
            self._service.decide(proposal, "reject", reason=reason)

    def _proposed(self, wish: DemoWish) -> list[Json]:
        """Return the undecided proposals that came from this wish."""
        found = self._service.proposals()
        return [one for one in found if wish.words in one["body"].lower()]


PROPOSAL_TIMEOUT_S: Final = 120.0
"""The first correction waits until the reader's weights are made."""
MOST_CORRECTIONS: Final = 4
"""How often at most the simulated user tries to correct an answer."""
MUCH: Final = (Wanted.MEANING, Wanted.IDEAS) * 3
"""What the user asks for on most days: so many answers that chance alone explains no change."""
THANKS_SHARE: Final = 0.3
RATED_SHARE: Final = 0.9
"""Share of answers to which the user has a wish that they rate."""


@contextmanager
def played_settings(service: PlayedService) -> Iterator[None]:
    """Context manager that writes the settings for the time in which `lull demo` simulates a week
    to the file in the demo's data folder.

    On exit it writes the settings that stay in the demo's data folder instead.
    """
    file = service.paths.settings
    file.write_text(SETTINGS.format(signals=service.desk.file))
    try:
        yield
    finally:
        file.write_text(FINAL_SETTINGS)
