"""Tells the user that the test of a suggestion has ended: on every page a test that they asked for,
and on the Review page also one that turned the suggestion down, which then is gone.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.proof.review_state import ReviewState
from lull.desktop.language.words import skill_title, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeMessage, Subject


class FinishedTests(QObject):
    """Watches the suggestions under test, and says once of each how its test ended."""

    def __init__(self, state: AppState, *, on_review: Callable[[], bool]) -> None:
        """The function `on_review` returns whether the user sees the Review page, which shows a
        result by itself.
        """
        super().__init__()
        self._state, self._on_review = state, on_review
        self._tested: dict[str, bool] = {}
        """The suggestions under test by id, with whether the user asked for it."""
        state.changed.connect(self._hear)

    def _hear(self, subject: str) -> None:
        held = self._state.held(Subject.PROPOSALS)
        if subject != Subject.PROPOSALS or held.value is None or held.stale:
            return
        here = {str(one["id"]): one for one in self._state.proposals}
        snoozed = {one["id"] for one in held.value.get("snoozed") or ()}
        for proposal, asked in list(self._tested.items()):
            found = here.get(proposal)
            if found is None:
                del self._tested[proposal]
                if proposal not in snoozed and (asked or self._on_review()):
                    self._state.get(routes.PROPOSAL.format(id=proposal), self._take_gone)
            elif _decided(found):
                del self._tested[proposal]
                if asked and not self._on_review():
                    self._state.told.emit(OutcomeMessage(text=_result_words(found)))
            elif not (found.get("testing") or found.get("asked")):
                del self._tested[proposal]  # stopped, or interrupted
        for proposal, one in here.items():
            if not _decided(one) and (one.get("testing") or one.get("asked")):
                asked = self._tested.get(proposal, False) or bool(one.get("asked"))
                self._tested[proposal] = asked

    def _take_gone(self, answer: Reply) -> None:
        found = answer.value.get("proposal") or {} if answer.ok else {}
        by_tests = not found.get("decided_by_user")  # it may have been in another window
        if found.get("status") == "rejected" and by_tests and found.get("reason"):
            title, why = skill_title(found["name"]), translated(found, "reason").rstrip(".")
            text = tr("“%1” was turned down by its tests: %2.", title, why)
            self._state.told.emit(OutcomeMessage(text=text, good=False))


def _decided(proposal: Json) -> bool:
    """Whether the test of a suggestion has come to a result."""
    return proposal.get("standing") in (ReviewState.PROVED, ReviewState.NOT_BETTER)


def _result_words(proposal: Json) -> str:
    title = skill_title(proposal["name"])
    if proposal["standing"] == ReviewState.PROVED:
        return tr("“%1” was tested: it helps.", title)
    return tr("“%1” was tested: it did not help.", title)
