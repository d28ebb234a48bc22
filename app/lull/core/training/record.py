"""The stored record of a training run: what it was made from, how far it has come and how it ended.

    waiting → training → trained → judging → promoted | rejected
        │        │           └ continued: the next round goes on from its adapter
        │        └ superseded | cancelled | failed | forgotten
        └ stuck: its trainer ended three times without getting a step further, or could not read
          three times what it starts from; also from trained and judging: three times in a row its
          adapter could not be stored or tested, or not be read for the next round

A stuck run keeps its folder and stays the current run until the user lets it go on or cancels it. A
run is superseded if it began with other skills or weights than those in use now, or with a
conversation that is now deleted: its data may then be used again, and its adapter never answers
users.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Final

from lull.core.errors import Conflict
from lull.core.text.coded_text import CodedText, coded_text
from lull.core.training.lesson import GraduationCourse
from lull.core.training.spec import RunKind


class RunStatus(StrEnum):
    """How far a training run has come."""

    WAITING = "waiting"
    """The run's folder is complete; training waits until the user is away."""
    TRAINING = "training"
    TRAINED = "trained"
    """The run's adapter is complete and not yet tested."""
    CONTINUED = "continued"
    """The next round of the series was sampled from this run's adapter."""
    JUDGING = "judging"
    """The run's adapter is being tested by the gate, which decides whether it may answer users."""
    PROMOTED = "promoted"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"
    FAILED = "failed"
    STUCK = "stuck"
    """The run's trainer always dies at the same step, or its adapter cannot be tested; the run
    waits for the user's decision.
    """


_STATUS_TEXTS: Final[Mapping[RunStatus, CodedText]] = {
    RunStatus.WAITING: coded_text("status waiting", "waiting to be trained"),
    RunStatus.TRAINING: coded_text("status training", "being trained"),
    RunStatus.TRAINED: coded_text("status trained", "trained"),
    RunStatus.CONTINUED: coded_text("status continued", "continued in another run"),
    RunStatus.JUDGING: coded_text("status judging", "being tested"),
    RunStatus.PROMOTED: coded_text("status promoted", "accepted"),
    RunStatus.REJECTED: coded_text("status rejected", "rejected"),
    RunStatus.SUPERSEDED: coded_text("status superseded", "out of date"),
    RunStatus.CANCELLED: coded_text("status cancelled", "cancelled"),
    RunStatus.FAILED: coded_text("status failed", "failed"),
    RunStatus.STUCK: coded_text("status stuck", "waiting for your decision"),
}
AT_WORK = frozenset({RunStatus.WAITING, RunStatus.TRAINING})
"""Statuses in which the trainer has work to do."""
OPEN_RUN_STATUSES = AT_WORK | {RunStatus.TRAINED, RunStatus.JUDGING, RunStatus.STUCK}
MOST_FALLS: Final = 3
"""Number of trainer crashes, without any further step done, after which a training run is stuck."""
MOST_UNREAD: Final = 3
"""Number of times in a row that what a training run, or the next round after it, starts from cannot
be read, after which the training run is stuck.
"""
MOST_FAILED_TESTS: Final = 3
"""Number of tests of a trained adapter failing to come to a verdict, in a row, after which the
training run is stuck.
"""
MOST_ALIKE: Final = 3
"""Number of consecutive runs of a kind failing for the same reason after which no more are started
automatically.
"""


WISH: Final = "wish"
"""Kind of a run's source: a turn in which the user stated the wish by which answers were scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSource:
    """Something that a training run was made from: a turn, a user's wish about a turn, or a skill.
    It stays in the run's record even after that turn or skill is deleted.
    """

    kind: str
    """Kind of the source: `turn`, `wish`, or `skill` (then identified by its sha256)."""
    id: str
    trajectory: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a training run has come: steps done and left, losses, rewards, time, memory and
    crashes of the trainer.
    """

    step: int = 0
    of: int = 0
    loss: float | None = None
    kl: float | None = None
    reward_before: float | None = None
    """Mean reward of the groups that the run trains on."""
    reward_after: float | None = None
    """Mean reward of the groups sampled from the run's adapter, in the next round or before the
    tests that decide whether it may answer users.
    """
    tokens: int = 0
    tokens_s: float = 0.0
    took_s: float = 0.0
    left_s: float = 0.0
    first_step_s: float = 0.0
    """Seconds that the trainer last took from its start to the end of its first step; 0 before."""
    peak_mb: float = 0.0
    furthest: int = 0
    """The furthest step the run ever reached; after a crash the trainer restarts from its last
    checkpoint.
    """
    falls: int = 0
    """Number of trainer crashes since the furthest step was reached, counted over restarts of
    Lull.
    """
    unread: int = 0
    """How many times in a row a file of the base model or the adapter could not be read from which
    the run or its next round starts.
    """
    failed_tests: int = 0
    """How many times in a row the run's adapter could not be stored or tested, though engine and
    Ollama answered.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The record of one training run: what it trains, on what, and how it ended."""

    id: str
    kind: RunKind
    status: RunStatus
    why: str
    """Why the run was made, or why it ended as it did, in words."""
    made_at: datetime
    changed_at: datetime
    model: str
    """The name under which the run's model is served."""
    base: str
    """Digest of the base weights."""
    root: str | None
    """Version of the adapter that was active when the first round began; None: the base."""
    parent: str | None
    """The run from whose adapter this run continues; None: it starts from `root`."""
    adapter: str | None = None
    """Id of the adapter made from the run; None before its tests."""
    round: int = 1
    """Number of the run within its series of rounds, each sampled from the adapter of the one
    before.
    """
    graduates: str = ""
    """sha256 of the skill that the run trains into the weights."""
    skills: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Maps each turn to the sha256 of the skills in its prompt when the run was made."""
    verdict: str = ""
    """The verdict of the adapter's tests before use, `accepted` or `rejected`; "" before that."""
    reasons: tuple[str, ...] = ()
    progress: RunProgress = field(default_factory=RunProgress)
    course: GraduationCourse = field(default_factory=GraduationCourse)
    """Settings with which a graduation run trains its skill into the weights."""
    next_course: GraduationCourse | None = None
    """Settings of the next try after a rejected graduation; None if it is not tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """The present state of the trained model, its adapter and the skills. A training run is
    compared with it before the next step; if the run was made for another state, it is given up.
    """

    model: str
    """Name of the model that Lull trains now."""
    base: str
    """Digest of that model's weights as served now."""
    root: str | None
    """Version of the adapter that is active now; None: the base model."""
    skills: Mapping[str, tuple[str, ...]]
    """Maps each turn that may still be trained on to the skills its prompt would get today."""
    live: Collection[str]
    """sha256 of every skill that is active now."""


def ended_already(run: Run) -> Conflict:
    """Return the error to raise when a training run is to be ended that has ended before."""
    words = "The training run %1 is %2 already."
    return Conflict(coded_text("run-ended", words, run.id, run_status_text(run.status)))


def run_status_text(status: RunStatus) -> CodedText:
    """Return a training run's status in words that complete "It is"."""
    return _STATUS_TEXTS[status]


def with_status(run: Run, status: RunStatus, why: str, at: datetime) -> Run:
    """Return a training run's record with a new status, the time of the change and the reason."""
    return replace(run, status=status, why=why, changed_at=at)


def with_crash(made: RunProgress) -> RunProgress:
    """Return a training run's progress with one more crash, after its trainer process ended without
    reporting why.
    """
    return replace(made, falls=made.falls + 1)


def with_unread(made: RunProgress) -> RunProgress:
    """Return a training run's progress with one more failed try at reading a file that this run,
    or the round after it, starts from.
    """
    return replace(made, unread=made.unread + 1)


def with_trainer_started(made: RunProgress, step: int) -> RunProgress:
    """Return a training run's progress once its trainer goes on after step number `step`: the files
    that it starts from could be read.

    If this is an earlier step than was reached before, and the run has not crashed, checkpoints
    were lost, as in a restored backup. Then the later steps count as never reached.
    """
    if made.falls == 0:
        made = replace(made, furthest=min(made.furthest, step))
    return replace(made, step=step, unread=0)


def with_step(made: RunProgress, step: int) -> RunProgress:
    """Return a training run's progress after step number `step` was done. Only a step beyond all
    earlier ones resets the count of crashes; otherwise a run that always dies after its first step
    would be restarted for ever.
    """
    if step <= made.furthest:
        return made
    return replace(made, furthest=step, falls=0)


def why_stuck(run: Run, last: str) -> str:
    """Explain to the user why a training run is not continued automatically after repeated crashes,
    or because what it starts from cannot be read; "" if it may still be continued. `last` says what
    went wrong this time.
    """
    made = run.progress
    if made.unread >= MOST_UNREAD:
        return (
            f"Training {run.id} could not be continued {made.unread} times: {last} Lull does "
            "not try again on its own: `lull train now` tries again, `lull train cancel "
            f"{run.id}` gives it up."
        )
    if made.falls < MOST_FALLS:
        return ""
    of = f" of {made.of}" if made.of else ""
    return (
        f"Training {run.id} ended {made.falls} times after step {made.furthest}{of}: {last} Lull "
        "does not try again on its own: `lull train now` continues from there, `lull train "
        f"cancel {run.id}` gives it up."
    )


def with_unread_adapter(run: Run, last: str, at: datetime) -> Run:
    """Return a trained run's record after the next round could not be made, because the adapter
    that the round starts from cannot be read: `last` says why. At the third time in a row the run
    is stuck: it waits for the user's decision.
    """
    run = replace(run, progress=with_unread(run.progress))
    why = why_stuck(run, last)
    return with_status(run, RunStatus.STUCK, why, at) if why else run


def with_failed_test(run: Run, last: str, at: datetime) -> Run:
    """Return a training run's record after its adapter could not be stored or tested, for the
    reason `last`. At the third time in a row the run is stuck: it waits for the user's decision.
    """
    failed = run.progress.failed_tests + 1
    run = replace(run, progress=replace(run.progress, failed_tests=failed))
    if failed < MOST_FAILED_TESTS:
        return run
    why = (
        f"The test of training {run.id} failed {failed} times: {last} Lull does not try again on "
        f"its own: `lull train now` tests it again, `lull train cancel {run.id}` gives it up."
    )
    return with_status(run, RunStatus.STUCK, why, at)


def with_retry(run: Run, at: datetime, *, trained: bool) -> Run:
    """Return a stuck training run's record after the user said that it shall go on: where it stood,
    with as many tries as at first. Any other run stays as it is. `trained` says whether its trainer
    had finished the adapter.
    """
    if run.status is not RunStatus.STUCK:
        return run
    status = RunStatus.TRAINED if trained else RunStatus.WAITING
    if run.adapter is not None:
        status = RunStatus.JUDGING
    run = replace(run, progress=replace(run.progress, falls=0, unread=0, failed_tests=0))
    return with_status(run, status, "You continued it.", at)


def why_not_started(runs: Sequence[Run], *, base: str, kind: RunKind, graduates: str = "") -> str:
    """Explain to the user why no further training run of this kind is started automatically: the
    last few failed in the same way. "" if one may be started. `runs` are newest first; `base` is
    the digest of the base weights, `graduates` the sha256 of the skill to train into them, "" for
    none.
    """
    of_kind = (r for r in runs if (r.base, r.kind, r.graduates) == (base, kind, graduates))
    last = list(islice(of_kind, MOST_ALIKE))
    alike = all(run.status is RunStatus.FAILED and run.why == last[0].why for run in last)
    if len(last) < MOST_ALIKE or not alike:
        return ""
    return (
        f"{MOST_ALIKE} runs failed in the same way, the last one is {last[0].id}: {last[0].why} "
        "Lull does not start another on its own: `lull train now` tries again."
    )


def why_superseded(run: Run, now: CurrentState) -> str:
    """Explain why a training run may not continue: since it began, the model, the active adapter or
    the skills have changed. "" if it may continue.
    """
    if why := why_other_weights(run, model=now.model, base=now.base):
        return why
    if run.root != now.root:
        return "Another adapter has been put into use since it was made."
    if run.graduates and run.graduates not in now.live:
        return "The skill that it trains into the model is no longer active."
    gone = sum(turn not in now.skills for turn in run.skills)
    if gone:
        return f"{_turns(gone)} in it: no longer allowed in training, or deleted."
    changed = sum(now.skills[turn] != skills for turn, skills in run.skills.items())
    if changed:
        return f"{_turns(changed)} in it would get different skills in the prompt today."
    return ""


def newest_in_series(run: Run, runs: Sequence[Run]) -> Run:
    """Return the newest training run of the series that this run belongs to; in such a series each
    run (round) continues training from the adapter of the one before.
    """
    while run.status is RunStatus.CONTINUED:
        after = next((one for one in runs if one.parent == run.id), None)
        if after is None:
            break
        run = after
    return run


def why_other_weights(run: Run, *, model: str, base: str) -> str:
    """Return why the adapter of a training run would be useless for the model that is trained now,
    because it was trained on other weights; "" if it can be used.
    """
    if run.base == base:
        return ""
    if run.model != model:
        return f"{model} is learning now, not {run.model}."
    return "The weights of its model have changed."


def _turns(count: int) -> str:
    return "One answer" if count == 1 else f"{count} answers"
