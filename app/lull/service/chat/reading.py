"""Reads conversations, rewards and skills (instruction texts) from the database, and returns them
as the JSON of the control API and of `lull … --json`.

Blocking; call it from a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, Protocol

from lull.contract.json_object import Json
from lull.core.errors import NotFound, UsageError
from lull.core.proof.holdout import Effect
from lull.core.proof.in_use import SkillMeasure
from lull.core.proof.placing import PlacingResult
from lull.core.skills.skill import SkillKey, check_client, check_name
from lull.loops.training.eligible import Eligible
from lull.service.answers.views import (
    conversations_view,
    diff_view,
    generations_view,
    history_view,
    skills_view,
    trajectory_view,
    turn_view,
)
from lull.service.training.learning_view import learning_view
from lull.store.chat.conversation_list import UNRATED
from lull.store.chat.trajectories import ConversationQuery, Label, Trajectories
from lull.store.feedback.answer_scores import AnswerChoice, AnswerScores
from lull.store.proof.proposals import Proposals
from lull.store.skills.conflicts import all_contradicting, rules_in_use
from lull.store.skills.library_reader import HistoryRow
from lull.store.skills.skills import Skills

PAGE = 50
FILTERS: Final = ("client", "model", "label", "skill", "excluded", "search")
"""Names of the query parameters that filter conversations."""
ANSWER_FILTERS: Final = ("client", "model", "skill")
"""Names of the query parameters that choose the answers of the learning page."""


class MeasuredEffects(Protocol):
    """Interface that tells how much each skill in use (a text put into prompts) improved answers,
    and how this was measured.
    """

    @property
    def effects(self) -> Mapping[SkillKey, Effect]:
        """The estimated effect of each measured skill (an instruction text) on the mean reward of
        answers.
        """

    def measures(self) -> Mapping[SkillKey, SkillMeasure]:
        """Return by which method the effect of each skill (an instruction text) is measured, and in
        how many replays of past requests answers with it were better or worse.
        """


class StoredConversations:
    """Reads conversations, rewards and skills (instruction texts) from the database, as JSON."""

    def __init__(
        self,
        trajectories: Trajectories,
        skills: Skills,
        *,
        eligible: Eligible,
        measured: MeasuredEffects,
        worths: AnswerScores,
        proposals: Proposals,
        placings: Callable[[], Sequence[PlacingResult]],
    ) -> None:
        """The function `placings` returns where in the models' prompts skills stand."""
        self._trajectories = trajectories
        self._skills = skills
        self._eligible = eligible
        self._measured = measured
        self._worths = worths
        self._proposals = proposals
        self._placings = placings

    def conversations(self, *, after: str = "", limit: int = PAGE, **wanted: str | None) -> Json:
        """Return the JSON of a page of conversations, newest first.

        `wanted` filters by `client`, `model`, `label` (good, bad or none), `skill`, `excluded`
        (from learning: yes or no) and `search` words. Raises UsageError, and NotFound when
        conversation `after` does not exist.
        """
        rows, following = self._trajectories.page(_wanted(wanted), after=after, limit=limit)
        if after and not rows:
            self._trajectories.get(after)
        return conversations_view(rows, following)

    def filter_choices(self) -> Json:
        """Return the client names and model names by which conversations can be filtered."""
        clients, models = self._trajectories.clients_and_models()
        return {"clients": clients, "models": models}

    def conversation(self, name: str) -> Json:
        """Return the JSON of a conversation with its turns (requests and answers). Raises
        NotFound.
        """
        row, turns = self._trajectories.get(name)
        return trajectory_view(row, turns, self._eligible.check_turns([turn.id for turn in turns]))

    def turn(self, name: str) -> Json:
        """Return the JSON of one turn (a recorded request with its answer). Raises NotFound."""
        turn = self._trajectories.turn(name)
        return turn_view(turn, self._eligible.check_turns([turn.id]).get(turn.id))

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

    def skills(self, *, client: str | None = None, everything: bool = False) -> Json:
        """Return the JSON of the skills (instruction texts), of one client if named; `everything`
        includes those not in use.
        """
        if client:
            check_client(client)
        library, uses = self._skills.library(), self._skills.uses()
        return skills_view(
            library,
            uses,
            self._measured.effects,
            self._measured.measures(),
            tested=self._proposals.tested(),
            conflicts=all_contradicting(rules_in_use(library, self._skills.folders)),
            client=client,
            everything=everything,
        )

    def history(self, *, name: str = "", client: str = "") -> Json:
        """Return the versions of one skill (an instruction text), or if no name is given all
        numbered generations of the skill library.

        Raises NotFound.
        """
        if not name:
            return generations_view(self._skills.generations())
        return history_view(self._skills.history(_key(client, name)))

    def diff(self, *, name: str, client: str = "", old: int = 0, new: int = 0) -> Json:
        """Return the difference between the texts of two versions of a skill (an instruction text).

        `old` and `new` are version numbers. By default `new` is the newest version and `old` the
        one before `new`. Raises NotFound.
        """
        rows = self._skills.history(_key(client, name))
        versions = {row.version: row for row in reversed(rows)}
        after = _version(versions, new or max(versions))
        before = _version(versions, old or max(1, after.version - 1))
        return diff_view(
            self._skills.folders.data(before.sha256),
            self._skills.folders.data(after.sha256),
            old=f"{name} v{before.version}",
            new=f"{name} v{after.version}",
        )


def _wanted(said: Mapping[str, str | None]) -> ConversationQuery:
    """Parse the filters. Raises UsageError."""
    given = {key: value for key, value in said.items() if value}
    label, excluded = given.get("label", ""), given.get("excluded")
    if label and label not in (*Label, UNRATED):
        raise UsageError(f"{label[:40]!r} is not a label.", hint="Say good, bad or none.")
    if excluded not in (None, "yes", "no"):
        raise UsageError("excluded must be yes or no.")
    return ConversationQuery(
        client=said.get("client"),
        model=given.get("model", ""),
        label=label,
        skill=given.get("skill", ""),
        excluded=None if excluded is None else excluded == "yes",
        search=given.get("search", ""),
    )


def _key(client: str, name: str) -> SkillKey:
    return SkillKey(check_client(client), check_name(name))


def _version(versions: Mapping[int, HistoryRow], number: int) -> HistoryRow:
    if number not in versions:
        known = ", ".join(str(one) for one in sorted(versions))
        raise NotFound(f"There is no version {number}.", hint=f"There are: {known}.")
    return versions[number]
