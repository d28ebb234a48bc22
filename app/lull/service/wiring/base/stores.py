"""Opens Lull's data on disk: the database, the skill folders and the secret key with which messages
are hashed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.config.paths import Paths
from lull.core.proof.placing import PlacingResult
from lull.loops.proof.measured_skills import StoredEffects, UseEvidence, measured_skills, texts_of
from lull.loops.training.eligible import Eligible, unchanged_since
from lull.service.chat.reading import StoredConversations
from lull.service.skills.reading import MeasuredEffects, StoredSkills
from lull.service.training.reading import StoredLearning
from lull.store.backups.witness import Witness, open_database
from lull.store.chat.chain_key import chain_key
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.answer_scores import AnswerScores
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.rewards import Rewards
from lull.store.proof.placings import Placings
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseReplays
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skills import Skills
from lull.store.sqlite.database import Database
from lull.store.training.training import Training


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
    database = open_database(paths.database, witness, rescue=rescue)
    return Stores(
        database=database,
        trajectories=Trajectories(database, key=chain_key(database)),
        skills=Skills(database, SkillFolders(paths.skills_root)),
        rewards=Rewards(database),
        feedback=FeedbackRows(database),
        proposals=Proposals(database),
        use=UseEvidence(assignments=HoldoutAssignments(database), replays=UseReplays(database)),
        training=Training(database),
        witness=witness,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecords:
    """What users may read of the stored data, by subject, as JSON."""

    conversations: StoredConversations
    skills: StoredSkills
    learning: StoredLearning


def stored_records(
    stores: Stores,
    *,
    eligible: Eligible,
    measured: MeasuredEffects,
    placings: Callable[[], Sequence[PlacingResult]],
) -> StoredRecords:
    """Build the readers of stored records.

    The function `placings` returns where in the models' prompts skills stand.
    """
    worths = AnswerScores(stores.database)
    return StoredRecords(
        conversations=StoredConversations(stores.trajectories, eligible=eligible),
        skills=StoredSkills(stores.skills, measured=measured, proposals=stores.proposals),
        learning=StoredLearning(worths, stores.skills, placings=placings),
    )


def reading_of(stores: Stores) -> StoredRecords:
    """Build the readers of stored records for commands that work without a service.

    They assume that a prompt would still get the same skills only if the skill library has not
    changed since the request.
    """
    library = stores.skills.library()
    skills = measured_skills(library, stores.proposals)
    return stored_records(
        stores,
        eligible=Eligible(
            stores.rewards,
            stores.proposals,
            still=unchanged_since(library.generation),
        ),
        measured=StoredEffects(evidence=stores.use, texts=texts_of(skills)),
        placings=Placings(stores.database).all,
    )
