"""Reads skills (instruction texts), their history and differences from the database, as the JSON of
the control API and of `lull … --json`.

Blocking; call it from a thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.errors import NotFound, StoreError
from lull.core.proof.holdout import Effect
from lull.core.proof.in_use import SkillMeasure
from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.skill import SkillKey, check_client, check_name
from lull.service.skills.views import (
    about_view,
    diff_view,
    generations_view,
    history_view,
    skills_view,
)
from lull.store.proof.proposals import Proposals
from lull.store.skills.conflicts import all_contradicting, rules_in_use
from lull.store.skills.library_reader import HistoryRow
from lull.store.skills.skills import Skills


class MeasuredEffects(Protocol):
    """Interface that tells how much each skill in use (an instruction text) improved answers,
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


class StoredSkills:
    """Reads skills (instruction texts) from the database, as JSON."""

    def __init__(self, skills: Skills, *, measured: MeasuredEffects, proposals: Proposals) -> None:
        self._skills = skills
        self._measured = measured
        self._proposals = proposals

    def list(self, *, client: str | None = None, everything: bool = False) -> Json:
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
        """Return the versions of one skill (an instruction text) and what is known of its present
        text, or if no name is given all numbered generations of the skill library.

        Raises NotFound.
        """
        if not name:
            return generations_view(self._skills.generations())
        key = _key(client, name)
        return history_view(self._skills.history(key), self._about(key))

    def _about(self, key: SkillKey) -> Json | None:
        """Tell more of a skill's present text; None if its file is damaged or gone, of which the
        history still tells.
        """
        skill = self._skills.library().get(key)
        try:
            data = self._skills.folders.data(skill.sha256)
        except StoreError:
            return None
        suggested = (
            one
            for one in self._proposals.of_skill(key)
            if one.sha256 == skill.sha256 and one.status is ProposalStatus.APPROVED
        )
        return about_view(data, next(suggested, None))

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


def _key(client: str, name: str) -> SkillKey:
    return SkillKey(check_client(client), check_name(name))


def _version(versions: Mapping[int, HistoryRow], number: int) -> HistoryRow:
    if number not in versions:
        known = ", ".join(str(one) for one in sorted(versions))
        raise NotFound(f"There is no version {number}.", hint=f"There are: {known}.")
    return versions[number]
