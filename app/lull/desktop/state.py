"""The one state of the window: what is known, how fresh it is, and what was asked for.

Fed by the snapshot and the events; a subject that an event touches is read again soon, many events
together. Widgets read it and listen to `changed`; they wait for nothing. What became of an action
is always told: done, or plainly not done, also when the service fell in the middle of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.desktop.client import Answer, Client, Outcome, Then
from lull.desktop.event_stream import EventStream
from lull.desktop.words import tr

Json = dict[str, Any]
SOON_MS: Final = 80
"""Events that come together are followed together."""
REST_MS: Final = 400
"""At least so long between two readings, however many events come."""
POLL_MS: Final = 5_000
"""Idle times and gates change without an event."""


class Phase(StrEnum):
    LOADING = "loading"
    LIVE = "live"
    DOWN = "down"


class Subject(StrEnum):
    STATUS = "status"
    PROPOSALS = "proposals"
    SKILLS = "skills"
    GENERATIONS = "generations"
    CONVERSATIONS = "conversations"
    """Only that they changed: the page reads them itself, a page at a time."""
    RUNS = "runs"
    ADAPTERS = "adapters"
    WINDOWS = "windows"
    CALENDARS = "calendars"
    MODELS = "models"
    SETTINGS = "settings"


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
}

_TOUCHES: Final[Mapping[str, tuple[Subject, ...]]] = {
    "turn-recorded": (Subject.STATUS, Subject.CONVERSATIONS),
    "label": (Subject.CONVERSATIONS,),
    "generation": (Subject.STATUS, Subject.SKILLS, Subject.GENERATIONS, Subject.PROPOSALS),
    "proposal": (Subject.STATUS, Subject.PROPOSALS),
    "lull": (Subject.STATUS, Subject.WINDOWS),
    "training": (Subject.STATUS, Subject.RUNS),
    "adapter": (Subject.STATUS, Subject.ADAPTERS),
    "upstream": (Subject.STATUS,),
    "engine": (Subject.STATUS,),
    "problem": (Subject.STATUS,),
    "settings": (Subject.STATUS, Subject.SETTINGS, Subject.CALENDARS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is known of a subject."""

    value: Json | None = None
    """None: nothing was read yet."""
    stale: bool = False
    """It may have changed since: the service is gone, or it is being read again."""
    error: Mapping[str, str] = field(default_factory=dict)
    """Why the last reading failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One line for the user about what they did."""

    text: str
    good: bool = True
    undo: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """How to find out, once the service is back, whether an action that broke off was done."""

    route: str
    done: Callable[[Answer], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    words: str
    settling: Settling
    then: Callable[[bool], None] | None


class AppState(QObject):
    changed = Signal(str)
    """A subject has a new value, another freshness, or another error."""
    phase_changed = Signal()
    told = Signal(object)
    """A `Told`."""
    happened = Signal(object)
    """An event, as it came."""

    def __init__(self, client: Client, stream: EventStream, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._stream = stream
        self._held: dict[Subject, Held] = {subject: Held() for subject in Subject}
        self._wanted = {Subject.STATUS, Subject.PROPOSALS, Subject.SKILLS}
        self._dirty: set[Subject] = set()
        self._reading: set[Subject] = set()
        self._unsettled: list[_Open] = []
        self.phase = Phase.LOADING
        self.why_down: Mapping[str, str] = {}
        self.listening = False
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read_dirty)
        self._poll = QTimer(self, interval=POLL_MS)
        self._poll.timeout.connect(lambda: self.touch(Subject.STATUS))
        stream.snapshot.connect(self._take_snapshot)
        stream.resumed.connect(self._take_resumed)
        stream.lost.connect(self._take_lost)
        stream.happened.connect(self._take_event)

    def start(self) -> None:
        self._stream.start()
        self._poll.start()

    def close(self) -> None:
        self._soon.stop()
        self._poll.stop()
        self._stream.close()
        self._client.close()

    # What is known

    def held(self, subject: Subject) -> Held:
        return self._held[subject]

    def value(self, subject: Subject) -> Json:
        """Empty where nothing was read yet."""
        return self._held[subject].value or {}

    @property
    def status(self) -> Json:
        return self.value(Subject.STATUS)

    @property
    def learning(self) -> Json:
        found = self.status.get("learning")
        return found if isinstance(found, dict) else {}

    @property
    def proposals(self) -> list[Json]:
        return list(self.value(Subject.PROPOSALS).get("proposals", ()))

    def want(self, *subjects: Subject) -> None:
        """From now on they are kept fresh."""
        new = set(subjects) - self._wanted
        self._wanted |= new
        if new:
            self.touch(*new)

    def touch(self, *subjects: Subject) -> None:
        """Read them again soon."""
        self._dirty |= set(subjects)
        if self.phase is Phase.LIVE and not self._soon.isActive():
            self._soon.start(SOON_MS)

    # Reading

    def get(self, route: str, then: Then, **query: object) -> None:
        """Something that only one page needs. `then` is always called, later."""
        self._client.get(route, then, **query)

    def ask(self, route: str, body: Mapping[str, object], then: Then) -> None:
        """As `get`, for a question that needs a body."""
        self._client.read(route, body, then)

    def _read_dirty(self) -> None:
        if self.phase is not Phase.LIVE:
            return
        if Subject.CONVERSATIONS in self._dirty:
            self._dirty.discard(Subject.CONVERSATIONS)
            self.changed.emit(Subject.CONVERSATIONS)
        due = (self._dirty & self._wanted) - self._reading
        self._dirty -= due
        for subject in sorted(due):
            self._read(subject)
        if self._dirty & self._wanted:
            self._soon.start(REST_MS)

    def _read(self, subject: Subject) -> None:
        route, query = _ROUTES[subject]
        self._reading.add(subject)
        self._client.get(route, lambda answer: self._take(subject, answer), **query)

    def _take(self, subject: Subject, answer: Answer) -> None:
        self._reading.discard(subject)
        before = self._held[subject]
        if answer.ok:
            self._keep(subject, Held(value=answer.value))
        elif answer.outcome is Outcome.REFUSED:
            self._keep(subject, replace(before, error=answer.error, stale=True))
        else:
            self._dirty.add(subject)
            self._keep(subject, replace(before, stale=True))
        if self._dirty & self._wanted and not self._soon.isActive():
            self._soon.start(REST_MS)

    def _keep(self, subject: Subject, held: Held) -> None:
        if held != self._held[subject]:
            self._held[subject] = held
            self.changed.emit(subject)

    # The stream

    def _take_snapshot(self, snapshot: Json) -> None:
        status = snapshot.get("status")
        self._set_phase(Phase.LIVE)
        self._keep(Subject.STATUS, Held(value=status if isinstance(status, dict) else {}))
        proposals = {k: snapshot.get(k) for k in ("proposals", "faults", "generation", "pushed")}
        self._keep(Subject.PROPOSALS, Held(value=proposals))
        skills = {"generation": snapshot.get("generation"), "skills": snapshot.get("skills", [])}
        self._keep(Subject.SKILLS, Held(value=skills))
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

    def _take_event(self, event: Json) -> None:
        self.touch(*_TOUCHES.get(str(event.get("kind")), ()))
        self.happened.emit(event)

    def say_down(self, error: Mapping[str, str]) -> None:
        """Why the service is not there, from whoever tried to start it."""
        self.why_down = dict(error)
        self.phase_changed.emit()

    def _set_phase(self, phase: Phase) -> None:
        if phase is Phase.LIVE:
            self.why_down = {}
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
        settling: Settling | None = None,
        undo: Callable[[], None] | None = None,
        then: Callable[[bool], None] | None = None,
        answered: Then | None = None,
    ) -> None:
        """Ask for a change. `words` names it ("Approving menu-style"), `done` is told when it is
        done. `then` hears whether it was, also when that is known only after a break; `answered`
        the answer of what was done."""

        def hear(answer: Answer) -> None:
            if answer.ok:
                if done:
                    self.told.emit(Told(text=done, undo=undo))
                if answered is not None:
                    answered(answer)
            elif answer.outcome is Outcome.UNSURE and settling is not None:
                self._unsettled.append(_Open(words=words, settling=settling, then=then))
                text = tr("%1: the service stopped; looked up when it is back.", words)
                self.told.emit(Told(text=text, good=False))
                return
            else:
                self.told.emit(Told(text=f"{words}: {said(answer)}", good=False))
            if then is not None:
                then(answer.ok)

        if self.phase is not Phase.LIVE:
            hear(Answer(outcome=Outcome.NOT_DONE))
            return
        self._client.act(route, body, hear)

    def _settle(self) -> None:
        waiting, self._unsettled = self._unsettled, []
        for one in waiting:
            self._client.get(one.settling.route, functools.partial(self._settled, one))

    def _settled(self, one: _Open, answer: Answer) -> None:
        if answer.outcome in (Outcome.NOT_DONE, Outcome.UNSURE):
            self._unsettled.append(one)  # gone again: the next connection asks again
            return
        was_done = one.settling.done(answer)
        text = tr("%1: it was done.", one.words) if was_done else tr("%1: not done.", one.words)
        self.told.emit(Told(text=text, good=was_done))
        if one.then is not None:
            one.then(was_done)


def said(answer: Answer) -> str:
    """Why something was not done, in one line."""
    if answer.outcome is Outcome.NOT_DONE:
        return tr("not done, because the service is not running.")
    if answer.outcome is Outcome.UNSURE:
        return tr("the service stopped before it answered; look whether it was done.")
    detail = str(answer.error.get("detail") or tr("the service refused."))
    hint = str(answer.error.get("hint") or "")
    return tr("not done. %1", f"{detail} {hint}".strip())
