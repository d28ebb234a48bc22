"""Holds the exams that a local model must pass before Lull lets it read feedback, judge answers or
write skills.

They are the questions, the exam's version, and the result at which a model passes or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lull.core.models.admission import SmallReaderFigures, settled
from lull.core.models.exam import ExamResult, Item, ModelRole, Sheet


class ExamPapers:
    """Holds the exam that a local model must pass for each role (reader, judge, writer); for the
    role of the reader also the built-in classifier's result, which the model must beat.
    """

    def __init__(
        self,
        sheets: Mapping[ModelRole, Sheet],
        *,
        forms: Callable[[ModelRole], str],
        small: SmallReaderFigures | None,
    ) -> None:
        """`forms` returns the version of the prompts for a role."""
        self._sheets = sheets
        self._forms = forms
        self._small = small

    def __contains__(self, role: ModelRole) -> bool:
        return role in self._sheets

    def questions(self, role: ModelRole) -> int:
        """Return the number of questions in the exam that admits a model to a role (reader, judge
        or writer).
        """
        return len(self._sheets[role].items)

    def version(self, role: ModelRole) -> str:
        """Return the version of the exam that admits a model to a role; it changes with anything
        that would change a result.
        """
        small = ""
        if role is ModelRole.READER:
            small = f" {self._small.right}/{self._small.n}" if self._small else " nobody"
        return f"{self._sheets[role].sha256[:16]} {self._forms(role)}{small}"

    def current(self, result: ExamResult) -> bool:
        """Whether a model's exam result was obtained with the present version of the exam."""
        return result.role in self and result.exam == self.version(result.role)

    def next_of(self, result: ExamResult) -> Item:
        """Return the first question of a model's exam that has no mark yet in this result."""
        asked = {mark.item for mark in result.marks}
        return next(item for item in self._sheets[result.role].items if item.id not in asked)

    def settled(self, result: ExamResult) -> ExamResult:
        """Return a model's exam result with "passed" or "failed" filled in as soon as its marks
        decide it.
        """
        return settled(result, self._sheets[result.role], self._small)
