"""Puts together the parts that let users read their conversations and feedback, rate answers, and
see how far feedback is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.backends.system.clock import TimeSortedIds
from lull.loops.training.eligible import Eligible
from lull.service.chat.reading import StoredConversations
from lull.service.feedback.rating import Rating
from lull.service.feedback.trust_view import TrustView
from lull.service.feedback.user_words import UserWords
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.base.stores import StoredRecords, stored_records
from lull.service.wiring.learning.feedback import LearningParts


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """The parts by which the window and the command line show conversations, take ratings and show
    how reliable feedback is.
    """

    stored: StoredRecords
    rating: Rating
    user_words: UserWords
    trust: TrustView


def views_of(shared: SharedParts, learning: LearningParts, memory: LateExemplars) -> Views:
    """Build the parts by which users read conversations, rate answers and see how reliable feedback
    is.
    """
    stores = shared.stores
    stored = stored_records(
        stores,
        eligible=Eligible(
            stores.rewards, stores.proposals, still=learning.current_selection.selects_same_skills
        ),
        measured=learning.proofs.holdout,
        placings=learning.placing.results,
    )
    return Views(
        stored=stored,
        rating=_rating(shared, learning, stored.conversations, memory),
        user_words=UserWords(
            stores.trajectories,
            stores.feedback,
            clock=shared.clock,
            ids=TimeSortedIds(),
            bus=shared.bus,
            count=learning.fast_loop.add_feedback,
        ),
        trust=_trust(shared, learning),
    )


def _rating(
    shared: SharedParts,
    learning: LearningParts,
    reading: StoredConversations,
    memory: LateExemplars,
) -> Rating:
    return Rating(
        shared.stores.trajectories,
        shared.clock,
        shared.bus,
        memory=memory,
        scoring=learning.fast_loop,
        conversations=reading,
        problems=shared.problems,
    )


def _trust(shared: SharedParts, learning: LearningParts) -> TrustView:
    return TrustView(
        shared.stores.rewards,
        calibration=lambda: learning.scoring.book.calibration,
        clock=shared.clock,
    )
