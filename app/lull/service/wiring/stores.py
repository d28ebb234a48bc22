"""Opens Lull's data on disk: the database, the skill folders and the key for message hashes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from lull.config.paths import Paths
from lull.core.errors import LullError, StoreError
from lull.loops.proof.measured_skills import UseEvidence, effects_in, measured_skills
from lull.loops.training.eligible import Eligible
from lull.service.chat.reading import Reading
from lull.store.chat.chain_key import chain_key
from lull.store.chat.coin_flips import CoinFlips
from lull.store.chat.trajectories import Trajectories
from lull.store.database import Database
from lull.store.feedback.answer_scores import AnswerScores
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.rewards import Rewards
from lull.store.proof.placings import Placings
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseReplays
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skills import Skills
from lull.store.training.training import Training
from lull.store.witness import Witness, losses_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stores:
    """The opened data of Lull's home folder: the database, the tables that several jobs share, and
    the skill folders.
    """

    database: Database
    trajectories: Trajectories
    skills: Skills
    rewards: Rewards
    feedback: FeedbackRows
    proposals: Proposals
    use: UseEvidence
    training: Training
    witness: Witness


def open_stores(paths: Paths, *, rescue: bool = True) -> Stores:
    """Open the database and skill folders of Lull's home folder. Raises StoreError.

    A damaged database is set aside and a new one begun. With `rescue` False it is left as it is,
    and StoreError is raised for it, too.
    """
    witness = Witness(paths.database)
    missing = witness.find_losses()
    if missing and not rescue:
        raise missing[0]
    database = Database(paths.database, rescue=rescue) if not rescue else _opened(paths, witness)
    try:
        key = chain_key(database)
        database.worries += losses_of(witness, database, missing, rescue=rescue)
    except BaseException:
        database.close()
        raise
    return Stores(
        database=database,
        trajectories=Trajectories(database, key=key),
        skills=Skills(database, SkillFolders(paths.skills_root)),
        rewards=Rewards(database),
        feedback=FeedbackRows(database),
        proposals=Proposals(database),
        use=UseEvidence(coin_flips=CoinFlips(database), replays=UseReplays(database)),
        training=Training(database),
        witness=witness,
    )


def _opened(paths: Paths, witness: Witness) -> Database:
    """Open the database, first keeping aside a WAL that SQLite would discard."""
    try:
        aside = witness.keep_aside()
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}.") from error
    if aside is not None:
        log.info("%s was kept: the database does not go with it", aside)
    return Database(paths.database)


def database_replaced_error(database: Database) -> LullError:
    """Return the error that tells the user that the database was damaged and replaced by a new one,
    and where the old one is.
    """
    return StoreError(
        f"{database.path} was damaged. It was kept as {database.kept_aside}, and Lull began a new"
        " one. No skill is in use until you approve it again, in Review; which of them were"
        " approved, their history and all conversations are in the old file.",
        hint="`sqlite3 FILE .recover` may save them.",
    )


def reading_of(stores: Stores) -> Reading:
    """Build the reader of stored conversations for commands that work without a service.

    Such a reader assumes that a prompt would still get the same skills only if the skill library
    has not changed since the request.
    """
    library = stores.skills.library()
    skills = measured_skills(library, stores.proposals)
    texts = {key: skill.sha256 for key, skill in skills.items()}
    return Reading(
        stores.trajectories,
        stores.skills,
        eligible=Eligible(
            stores.rewards,
            stores.proposals,
            still=lambda served: served.turn.generation == library.generation,
        ),
        worths=AnswerScores(stores.database),
        tested=stores.proposals.tested,
        effects=lambda: effects_in(
            stores.use.coin_flips.outcomes(texts), stores.use.replays.pairs(texts)
        ),
        measures=dict,
        placings=Placings(stores.database).all,
    )
