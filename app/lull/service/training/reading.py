"""Reads rewards over time and what changed them from the database, as the JSON of the control API.

Blocking; call it from a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from lull.contract.json_object import Json
from lull.core.proof.placing import PlacingResult
from lull.service.training.learning_view import learning_view
from lull.store.feedback.answer_scores import AnswerChoice, AnswerScores
from lull.store.skills.skills import Skills

ANSWER_FILTERS: Final = ("client", "model", "skill")
"""Names of the query parameters that choose the answers of the learning page."""


class StoredLearning:
    """Reads rewards (estimates of how good answers were) over time from the database, as JSON."""

    def __init__(
        self,
        worths: AnswerScores,
        skills: Skills,
        *,
        placings: Callable[[], Sequence[PlacingResult]],
    ) -> None:
        """The function `placings` returns where in the models' prompts skills stand."""
        self._worths = worths
        self._skills = skills
        self._placings = placings

    def learning(self, since: datetime | None, **wanted: str | None) -> Json:
        """Return the JSON of rewards (estimates of how good answers were) over time and of the
        changes that affected them, from the time `since` on (None: from the beginning).

        `wanted` chooses answers by `client`, `model` and `skill`.
        """
        choice = AnswerChoice(
            client=wanted.get("client"),
            model=wanted.get("model") or "",
            skill=wanted.get("skill") or "",
        )
        generations = self._skills.generations()
        return learning_view(self._worths, generations, since, self._placings(), choice)
