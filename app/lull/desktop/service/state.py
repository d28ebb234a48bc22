"""Holds all that Lull's window knows: the data read from the service, how fresh each part is, and
the user's actions that the service has not answered yet.

At first a snapshot of the service fills it. An event from the service causes the data it concerns
to be read again; several events together cause one read. Widgets read the data and listen to the
signal `changed`; nothing blocks. The user is told the outcome of every action, also when the
service crashed in the middle of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.titles import known_titles
from lull.desktop.language.words import now, tr
from lull.desktop.service.client import ControlClient, Reply, ReplyOutcome, Then
from lull.desktop.service.down_words import DownWords, ServiceState, down_words
from lull.desktop.service.event_stream import EventStream

READ_DELAY_MS: Final = 80
"""Milliseconds to wait after an event before reading, so that several events cause one read."""
READ_GAP_MS: Final = 400
"""Shortest time in milliseconds between two reads."""
WEEK_DAYS, PAST_DAYS = 7, 3
"""Number of days that the Schedule page shows, and how many of them are before today."""
POLL_MS: Final = 5_000
"""Milliseconds between reads of the status. Idle times and conditions change without an event."""


class Phase(StrEnum):
    """State of the window's connection to the service: not connected yet, connected, or lost."""

    LOADING = "loading"
    LIVE = "live"
    DOWN = "down"


class Subject(StrEnum):
    """A kind of data, such as skills, that the window reads from the service and keeps."""

    STATUS = "status"
    PROPOSALS = "proposals"
    SKILLS = "skills"
    GENERATIONS = "generations"
    CONVERSATIONS = "conversations"
    """Conversations; only changes are signalled, and the page reads the data itself, in chunks."""
    RUNS = "runs"
    ADAPTERS = "adapters"
    WINDOWS = "windows"
    CALENDARS = "calendars"
    MODELS = "models"
    SETTINGS = "settings"
    CLIENTS = "clients"


_ROUTES: Final[Mapping[Subject, tuple[str, Mapping[str, object]]]] = {
    Subject.STATUS: (routes.STATUS, {}),
    Subject.PROPOSALS: (routes.PROPOSALS, {}),
    Subject.SKILLS: (routes.SKILLS, {"all": "1"}),
    Subject.GENERATIONS: (routes.SKILLS_HISTORY, {}),
    Subject.RUNS: (routes.TRAIN, {}),
    Subject.ADAPTERS: (routes.ADAPTERS, {}),
    Subject.WINDOWS: (routes.WINDOWS, {}),
    Subject.CALENDARS: (routes.CALENDARS, {}),
    Subject.MODELS: (routes.MODELS, {}),
    Subject.SETTINGS: (routes.SETTINGS, {}),
    Subject.CLIENTS: (routes.CLIENTS, {}),
}

_TOUCHES: Final[Mapping[str, tuple[Subject, ...]]] = {
    "turn-recorded": (Subject.STATUS, Subject.CONVERSATIONS),
    "label": (Subject.STATUS, Subject.CONVERSATIONS),
    "scored": (Subject.STATUS, Subject.CONVERSATIONS, Subject.SKILLS),
    "generation": (Subject.STATUS, Subject.SKILLS, Subject.GENERATIONS, Subject.PROPOSALS),
    "proposal": (Subject.STATUS, Subject.PROPOSALS),
    "lull": (Subject.STATUS, Subject.WINDOWS),
    "training": (Subject.STATUS, Subject.RUNS),
    "adapter": (Subject.STATUS, Subject.ADAPTERS),
    **dict.fromkeys(("upstream", "engine", "problem"), (Subject.STATUS,)),
    "settings": (Subject.STATUS, Subject.SETTINGS, Subject.CALENDARS, Subject.WINDOWS),
}


def shown_week(at: datetime) -> tuple[datetime, datetime]:
    """Return the midnights at which the Schedule page's first day begins and its last day ends, in
    the zone of `at` (now).
    """
    first = at.date() - timedelta(days=PAST_DAYS)
    days = (first, first + timedelta(WEEK_DAYS))
    start, end = (datetime.combine(day, time(0), at.tzinfo) for day in days)
    return start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSubject:
    """What the window knows of one kind of service data: its value and how fresh it is."""

    value: Json | None = None
    """The data as the service sent it; None until it was first read."""
    stale: bool = False
    """Whether the data may be out of date, because the service is gone or the last read failed."""
    error: Mapping[str, str] = field(default_factory=dict)
    """Why the last read of this kind of data from the service failed; empty if it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeMessage:
    """A message to the user about the outcome of one of their actions."""

    text: str
    good: bool = True
    undo: Callable[[], None] | None = None
    button: str = ""
    """What the button for `undo` says, if not "Undo"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCheck:
    """How to find out whether an action was done, if the service crashed or restarted before it
    replied.

    Data are read from `route`; `done` gets the reply and returns whether the action was done.
    """

    route: str
    done: Callable[[Reply], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    words: str
    settling: OutcomeCheck
    then: Callable[[bool], None] | None


class AppState(QObject):
    """Holds the service's data for all pages and sends the user's actions to the service."""

    changed = Signal(str)
    """Emitted when a subject's data, freshness or error has changed."""
    phase_changed = Signal()
    told = Signal(object)
    """Emitted with an `OutcomeMessage` to show to the user."""
    happened = Signal(object)
    """Emitted for each event of the service, as received."""

    def __init__(
        self, client: ControlClient, stream: EventStream, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._stream = stream
        self._held: dict[Subject, KnownSubject] = {subject: KnownSubject() for subject in Subject}
        self._wanted = {Subject.STATUS, Subject.PROPOSALS, Subject.SKILLS}
        self._dirty: set[Subject] = set()
        self._reading: set[Subject] = set()
        self._unsettled: list[_Open] = []
        self.phase = Phase.LOADING
        self.down = down_words(ServiceState.STARTING, {})
        """What the window says while it has no connection to the service."""
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read_dirty)
        self._poll = QTimer(self, interval=POLL_MS)
        self._poll.timeout.connect(self._read_what_moves)
        stream.snapshot.connect(self._take_snapshot)
        stream.resumed.connect(self._take_resumed)
        stream.lost.connect(self._take_lost)
        stream.happened.connect(self._take_event)

    def start(self) -> None:
        """Connect to the service and begin to poll it."""
        self._stream.start()
        self._poll.start()

    def _read_what_moves(self) -> None:
        """Read anew what changes without an event: the status, and how far a test has come."""
        self.touch(Subject.STATUS)
        if any(one.get("testing") or one.get("tests_before") for one in self.proposals):
            self.touch(Subject.PROPOSALS)

    def close(self) -> None:
        """Stop polling and disconnect; no signal is emitted any more."""
        # An event of the stream's thread may still be on its way to the window, which soon is gone.
        self.blockSignals(True)
        self._soon.stop()
        self._poll.stop()
        self._stream.close()
        self._client.close()

    # What is known

    def held(self, subject: Subject) -> KnownSubject:
        """Return what is known of a subject, with its age and errors."""
        return self._held[subject]

    def value(self, subject: Subject) -> Json:
        """Return a subject's data as last read from the service; empty until first read."""
        return self._held[subject].value or {}

    @property
    def status(self) -> Json:
        """The service's status, as `lull status` returns it; empty while unknown."""
        return self.value(Subject.STATUS)

    @property
    def learning(self) -> Json:
        """What the service says about background work, as in `lull why`."""
        found = self.status.get("learning")
        return found if isinstance(found, dict) else {}

    @property
    def proposals(self) -> list[Json]:
        """The proposed skills that wait for a decision."""
        return list(self.value(Subject.PROPOSALS).get("proposals", ()))

    def subscribe(self, *subjects: Subject) -> None:
        """Read these subjects (kinds of data) from the service soon and keep them up to date from
        now on.
        """
        new = set(subjects) - self._wanted
        self._wanted |= new
        if new:
            self.touch(*new)

    def touch(self, *subjects: Subject) -> None:
        """Mark these subjects (kinds of service data) as out of date, so that they are soon read
        again.
        """
        self._dirty |= set(subjects)
        if self._dirty & self._readable() and not self._soon.isActive():
            self._soon.start(READ_DELAY_MS)

    def _readable(self) -> set[Subject]:
        """The subjects that are wanted and can be read now; some also without a service."""
        if self.phase is Phase.LIVE:
            return self._wanted | {Subject.CONVERSATIONS}
        alone = self._client.works_without_service
        return {one for one in self._wanted if one in _ROUTES and alone(_ROUTES[one][0])}

    # Reading

    def get(self, route: str, then: Then, **query: object) -> None:
        """Read data that only one page needs from the service; this object does not keep the data.

        The callback `then` is called later with the reply, whether or not the request succeeded.
        """
        self._client.get(route, then, **query)

    def ask(self, route: str, body: Mapping[str, object], then: Then) -> None:
        """Read data from the service by a request with a body; this object does not keep the data.

        The callback `then` is called later with the reply, whether or not the request succeeded.
        """
        self._client.read(route, body, then)

    def _read_dirty(self) -> None:
        if self.phase is Phase.LIVE and Subject.CONVERSATIONS in self._dirty:
            self._dirty.discard(Subject.CONVERSATIONS)
            self.changed.emit(Subject.CONVERSATIONS)
        readable = self._readable()
        due = (self._dirty & readable) - self._reading
        self._dirty -= due
        for subject in sorted(due):
            self._read(subject)
        if self._dirty & readable:
            self._soon.start(READ_GAP_MS)

    def _read(self, subject: Subject) -> None:
        route, query = _ROUTES[subject]
        if subject is Subject.WINDOWS:  # without these the service tells of the past alone
            start, end = shown_week(now())
            query = {"from": start.isoformat(), "to": end.isoformat()}
        self._reading.add(subject)
        self._client.get(route, lambda answer: self._take(subject, answer), **query)

    def _take(self, subject: Subject, answer: Reply) -> None:
        self._reading.discard(subject)
        before = self._held[subject]
        if answer.ok:
            self._keep(subject, KnownSubject(value=answer.value))
        elif answer.outcome is ReplyOutcome.REFUSED:
            self._keep(subject, replace(before, error=answer.error, stale=True))
        else:
            self._dirty.add(subject)
            self._keep(subject, replace(before, stale=True))
        if self._dirty & self._readable() and not self._soon.isActive():
            self._soon.start(READ_GAP_MS)

    def _keep(self, subject: Subject, held: KnownSubject) -> None:
        if held != self._held[subject]:
            self._held[subject] = held
            known_titles.learn(held.value or {})
            self.changed.emit(subject)

    # The stream

    def _take_snapshot(self, snapshot: Json) -> None:
        status = snapshot.get("status")
        self._set_phase(Phase.LIVE)
        self._keep(Subject.STATUS, KnownSubject(value=status if isinstance(status, dict) else {}))
        parts = ("proposals", "faults", "generation", "pushed", "snoozed", "undo", "turned_down")
        self._keep(Subject.PROPOSALS, KnownSubject(value={one: snapshot.get(one) for one in parts}))
        skills = {"generation": snapshot.get("generation"), "skills": snapshot.get("skills", [])}
        self._keep(Subject.SKILLS, KnownSubject(value=skills))
        self.changed.emit(Subject.CONVERSATIONS)
        fresh = {Subject.STATUS, Subject.PROPOSALS, Subject.SKILLS}
        self.touch(*(self._wanted - fresh))
        self._settle()

    def _take_resumed(self) -> None:
        self._set_phase(Phase.LIVE)
        self.changed.emit(Subject.CONVERSATIONS)
        self.touch(*self._wanted)
        self._settle()

    def _take_lost(self) -> None:
        self._set_phase(Phase.DOWN)
        for subject, held in self._held.items():
            if held.value is not None:
                self._keep(subject, replace(held, stale=True))
        self.touch(*self._readable())

    def _take_event(self, event: Json) -> None:
        self.touch(*_TOUCHES.get(str(event.get("kind")), ()))
        self.happened.emit(event)

    def set_down_words(self, down: DownWords) -> None:
        """Set what the window says while it has no connection to the service."""
        self.down = down
        self.phase_changed.emit()

    def _set_phase(self, phase: Phase) -> None:
        if phase is not self.phase:
            self.phase = phase
            self.phase_changed.emit()

    # Actions

    def act(
        self,
        route: str,
        body: Mapping[str, object],
        *,
        words: str,
        done: str = "",
        outcome_check: OutcomeCheck | None = None,
        undo: Callable[[], None] | None = None,
        then: Callable[[bool], None] | None = None,
        answered: Then | None = None,
    ) -> None:
        """Send an action of the user to the service, and tell the user the outcome.

        `words` names the action ("Approving menu-style"). `done` is the message for success, with
        an Undo button that calls `undo`. `then` is called with whether the action was done,
        possibly only after a reconnect, by `outcome_check`; `answered` gets the reply if the action
        was done at once.
        """

        def hear(answer: Reply) -> None:
            if answer.ok:
                if done:
                    self.told.emit(OutcomeMessage(text=done, undo=undo))
                if answered is not None:
                    answered(answer)
            elif answer.outcome is ReplyOutcome.UNSURE and outcome_check is not None:
                self._unsettled.append(_Open(words=words, settling=outcome_check, then=then))
                text = tr(
                    "%1: the service stopped; once it is back, Lull checks whether this was done.",
                    words,
                )
                self.told.emit(OutcomeMessage(text=text, good=False))
                return
            else:
                why = failure_words(answer)
                text = f"{words}: {why[0].lower()}{why[1:]}"
                self.told.emit(OutcomeMessage(text=text, good=False))
            if then is not None:
                then(answer.ok)

        if self.phase is not Phase.LIVE and not self._client.works_without_service(route):
            hear(Reply(outcome=ReplyOutcome.NOT_DONE))
            return
        self._client.act(route, body, hear)

    def _settle(self) -> None:
        waiting, self._unsettled = self._unsettled, []
        for one in waiting:
            self._client.get(one.settling.route, functools.partial(self._settled, one))

    def _settled(self, one: _Open, answer: Reply) -> None:
        if answer.outcome in (ReplyOutcome.NOT_DONE, ReplyOutcome.UNSURE):
            self._unsettled.append(one)  # ask again after the next reconnect
            return
        was_done = one.settling.done(answer)
        text = tr("%1: done.", one.words) if was_done else tr("%1: not done.", one.words)
        self.told.emit(OutcomeMessage(text=text, good=was_done))
        if one.then is not None:
            one.then(was_done)


def failure_words(answer: Reply) -> str:
    """Describe in one line, from the service's answer, why an action of the user was not done, or
    why it is not known whether it was.
    """
    if answer.outcome is ReplyOutcome.NOT_DONE:
        return tr("Not done, because the service is not running.")
    if answer.outcome is ReplyOutcome.UNSURE:
        return tr("The service stopped before it answered; check whether it was done.")
    detail = str(answer.error.get("detail") or tr("The service refused."))
    hint = str(answer.error.get("hint") or "")
    return tr("Not done. %1", f"{detail} {hint}".strip())
