"""What lies on disk, opened: the database, the skill folders, the key of the message chain."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass

from lull.config.paths import Paths
from lull.core.errors import LullError, StoreError
from lull.loops.eligible import Eligible
from lull.loops.guard import effects_in, measured
from lull.service.reading import Reading
from lull.store.database import Database
from lull.store.event_log import EventLog
from lull.store.feedback import FeedbackRows
from lull.store.flips import Flips
from lull.store.proposals import Proposals
from lull.store.rewards import Rewards
from lull.store.skill_folders import SkillFolders
from lull.store.skills import Skills
from lull.store.training import Training
from lull.store.trajectories import Trajectories
from lull.store.worth import Worths


@dataclass(frozen=True, slots=True)
class Stores:
    """What lies on disk, opened."""

    database: Database
    trajectories: Trajectories
    skills: Skills
    rewards: Rewards
    feedback: FeedbackRows
    proposals: Proposals
    flips: Flips
    events: EventLog
    training: Training
    worths: Worths
    chain_key: bytes


def open_stores(paths: Paths, *, rescue: bool = True) -> Stores:
    """Raises StoreError; without `rescue` also for a damaged file, which is left as it is."""
    database = Database(paths.database, rescue=rescue)
    key = _chain_key(database)
    return Stores(
        database=database,
        trajectories=Trajectories(database, key=key),
        skills=Skills(database, SkillFolders(paths.skills_root)),
        rewards=Rewards(database),
        feedback=FeedbackRows(database),
        proposals=Proposals(database),
        flips=Flips(database),
        events=EventLog(database),
        training=Training(database),
        worths=Worths(database),
        chain_key=key,
    )


def _chain_key(database: Database) -> bytes:
    def work(connection: sqlite3.Connection) -> bytes:
        row = connection.execute("SELECT value FROM facts WHERE name = 'chain-key'").fetchone()
        if row:
            return bytes(row["value"])
        key = secrets.token_bytes(32)
        connection.execute("INSERT INTO facts VALUES ('chain-key', ?)", (key,))
        return key

    try:
        return database.submit(work).result()
    except BaseException:
        database.close()
        raise


def kept_aside(database: Database) -> LullError:
    return StoreError(
        f"{database.path} was damaged. It was kept as {database.kept_aside}, and Lull began a new"
        " one. Skills were read from their folders again; which of them were pinned or disabled,"
        " their history and all conversations are in the old file.",
        hint="`sqlite3 FILE .recover` may save them.",
    )


def reading_of(stores: Stores) -> Reading:
    """What is stored, without a service: whether a prompt would still get the same skills is then
    known only while no generation has been made since."""
    library = stores.skills.library()
    skills = measured(library, stores.proposals)
    texts = {key: skill.sha256 for key, skill in skills.items()}
    return Reading(
        stores.trajectories,
        stores.skills,
        eligible=Eligible(
            stores.rewards,
            stores.proposals,
            still=lambda served: served.turn.generation == library.generation,
        ),
        worths=stores.worths,
        effects=lambda: effects_in(stores.flips.outcomes(texts), skills),
    )
