"""Holds the exams that a local model must pass before Lull lets it read feedback, judge answers or
write skills.

An exam consists of its questions, its version, and the results at which a model passes or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lull.core.models.admission import SmallReaderFigures, with_verdict
from lull.core.models.exam import ExamResult, ExamSheet, Item, ModelRole


class ExamPapers:
    """Holds the exam that a local model must pass for each role (reader, judge, writer). To pass as
    reader, a model must also beat the result of the small built-in classifier.
    """

    def __init__(
        self,
        sheets: Mapping[ModelRole, ExamSheet],
        *,
        forms: Callable[[ModelRole], str],
        small: SmallReaderFigures | None,
    ) -> None:
        """`sheets` holds the labelled questions for each role, `forms` returns the version of the
        prompts for a role, and `small` is the small built-in classifier's result, which a reader
        must beat.
        """
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
        """Return the version of the exam for a role (reader, judge or writer); it changes with
        everything that could change a result, such as the questions or prompts.
        """
        small = ""
        if role is ModelRole.READER:
            small = f" {self._small.right}/{self._small.n}" if self._small else " nobody"
        return f"{self._sheets[role].sha256[:16]} {self._forms(role)}{small}"

    def current(self, result: ExamResult) -> bool:
        """Whether a model's exam result was obtained with the present version of the exam."""
        return result.role in self and result.exam == self.version(result.role)

    def next_question(self, result: ExamResult) -> Item:
        """Return the first question of a model's exam that has no mark yet in this result."""
        asked = {mark.item for mark in result.marks}
        return next(item for item in self._sheets[result.role].items if item.id not in asked)

    def with_outcome(self, result: ExamResult) -> ExamResult:
        """Return a copy of a model's exam result with its score and, if the questions marked so far
        decide it, with the verdict (passed or failed).
        """
        return with_verdict(result, self._sheets[result.role], self._small)
