"""Builds the parts that keep the service and its data in order: the supervisor of background tasks,
the watch of the skill files, the database's upkeep, backups and the trash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from lull.backends.retrieval.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.chat.retention import Limits
from lull.loops.forgetting.sweep import Sweep
from lull.service.backups.backups import Backups
from lull.service.chat.throwing_away import TrashRequests
from lull.service.process.keep_watch import WitnessWriter
from lull.service.process.mending import DatabaseMending
from lull.service.process.records import RecordChecks, WatchRecords
from lull.service.process.supervisor import Supervisor
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.current import CurrentLibrary
from lull.service.skills.watch_library import WatchLibrary
from lull.service.wiring.base.shared import SharedParts
from lull.store.adapters.gate_measures import MEASURE_ROWS, PLAN_ROWS
from lull.store.adapters.published import PublishedVersions
from lull.store.chat.event_log import EVENT_ROWS
from lull.store.feedback.feedback import FEEDBACK_ROWS
from lull.store.forgetting.retention import Retention
from lull.store.forgetting.trash import Trash
from lull.store.models.exams import EXAM_ROWS
from lull.store.proof.placings import PLACING_ROWS
from lull.store.proof.proposal_rows import FAULT_ROWS, REPLAY_ROWS
from lull.store.proof.shown_pairs import SHOWN_ROWS
from lull.store.proof.use_replays import USE_REPLAY_ROWS
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.skills.proof_records import (
    proof_records_not_put_right,
    repair_proof_records,
)
from lull.store.skills.skill_seals import repair_rows
from lull.store.sqlite.mending_measurements import remove_damaged_measurements
from lull.store.training.group_rows import GROUP_ROWS
from lull.store.training.trained_adapters import (
    repair_trained_adapters,
    trained_adapters_not_put_right,
)

MEASUREMENTS: Final[tuple[MeasuredRows[Any], ...]] = (
    *(REPLAY_ROWS, SHOWN_ROWS, USE_REPLAY_ROWS, FAULT_ROWS),
    *(EXAM_ROWS, PLACING_ROWS, PLAN_ROWS, MEASURE_ROWS),
    *(FEEDBACK_ROWS, GROUP_ROWS, EVENT_ROWS),
)
"""Every table of measurements; a damaged row of it is removed, and the user is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """The parts that keep the service running and its data in order, such as the supervisor of
    tasks and the backups.
    """

    supervisor: Supervisor
    mending: DatabaseMending
    watch_library: WatchLibrary
    watch_records: WatchRecords
    keep_watch: WitnessWriter
    backups: Backups
    throwing_away: TrashRequests


def upkeep_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    paths: Paths,
    *,
    current: CurrentLibrary,
    index: WordIndex,
    changes: SkillChangeRequests,
) -> Upkeep:
    """Build the parts that keep the service running and its data in order, such as the supervisor
    of tasks and the backups.
    """
    mending = DatabaseMending(shared.stores.database, shared.problems, repair=repair_rows)
    return Upkeep(
        supervisor=Supervisor(shared.problems, shared.clock, mends=mending.mend),
        mending=mending,
        watch_library=_watch_library(shared, current, index, changes),
        watch_records=_watch_records(shared),
        keep_watch=WitnessWriter(
            shared.stores.database, shared.stores.witness, shared.problems, shared.clock
        ),
        backups=_backups(shared, settings, paths),
        throwing_away=_throwing_away(shared, settings(), paths),
    )


def _watch_library(
    shared: SharedParts, current: CurrentLibrary, index: WordIndex, changes: SkillChangeRequests
) -> WatchLibrary:
    return WatchLibrary(
        shared.stores.skills,
        shared.stores.proposals,
        changes=changes,
        current=current,
        index=index,
        problems=shared.problems,
        clock=shared.clock,
    )


def _watch_records(shared: SharedParts) -> WatchRecords:
    stores, published = shared.stores, PublishedVersions(shared.stores.database)
    return WatchRecords(
        {
            "published rows": RecordChecks(repair=published.repair, damage=published.damage_error),
            "run rows": RecordChecks(damage=stores.training.damage_error),
            "records of trained adapters": RecordChecks(
                repair=lambda: repair_trained_adapters(stores.database),
                damage=lambda: trained_adapters_not_put_right(stores.database),
            ),
            "records of proofs": RecordChecks(
                repair=lambda: repair_proof_records(stores.database),
                damage=lambda: proof_records_not_put_right(stores.database),
            ),
            "proposals": RecordChecks(damage=stores.proposals.damage_error),
            "measurements": RecordChecks(
                repair=lambda: remove_damaged_measurements(stores.database, MEASUREMENTS),
                at_start=False,
            ),
        },
        shared.problems,
    )


def _backups(shared: SharedParts, settings: Callable[[], Settings], paths: Paths) -> Backups:
    return Backups(
        paths.home,
        shared.stores.database,
        shared.problems,
        shared.clock,
        shared.activity,
        settings=lambda: settings().backup,
        quiet_s=lambda: settings().learning.quiet_s,
    )


def _throwing_away(shared: SharedParts, settings: Settings, paths: Paths) -> TrashRequests:
    records, database = settings.records, shared.stores.database
    sweep = Sweep(
        Retention(database),
        Trash(paths.trash, database),
        shared.clock,
        limits=lambda: Limits(days=records.keep_days, most_bytes=records.keep_mb * 1_000_000),
        trash_bytes=lambda: records.trash_mb * 1_000_000,
    )
    return TrashRequests(sweep, shared.problems, settle=database.flush)
