"""Watches the folders of skills (instruction texts): edits by hand become proposals, which the user
must approve, and tampering is reported.
"""

from __future__ import annotations

import asyncio

from lull.core.ports import Clock
from lull.service.process.problems import Problems
from lull.service.proof.verifying import repair_evidence
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.current import CurrentLibrary, LibraryIndex
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Skills

HAND_EDITS_EVERY_S = 5.0
LOOK_THROUGH_EVERY_S = 600.0


class WatchLibrary:
    """Looks for hand edits in the folders of skills (instruction texts), and for texts that are not
    what was approved.
    """

    def __init__(
        self,
        skills: Skills,
        proposals: Proposals,
        *,
        changes: SkillChangeRequests,
        current: CurrentLibrary,
        index: LibraryIndex,
        problems: Problems,
        clock: Clock,
    ) -> None:
        self._skills = skills
        self._proposals = proposals
        self._changes = changes
        self._current = current
        self._index = index
        self._problems = problems
        self._clock = clock

    async def run(self) -> None:
        """Watch for skill files edited by hand until cancelled; edits become proposals, which the
        user must approve.
        """
        # Edits made since the check at startup, or during a check, must not be missed.
        seen: dict[str, tuple[int, int]] | None = None
        looked_s = self._clock.monotonic_s()
        while True:
            await asyncio.sleep(HAND_EDITS_EVERY_S)
            if self._clock.monotonic_s() - looked_s >= LOOK_THROUGH_EVERY_S:
                await self.look_through()
                looked_s = self._clock.monotonic_s()
            marks = await asyncio.to_thread(self._skills.folders.file_stamps)
            if marks != seen:
                await self.propose_file_edits()
                seen = marks

    async def look_through(self) -> None:
        """Compare the texts and states of all skills (instruction texts) with what was approved;
        report differences to the user.
        """
        told = await self._skills.check_and_repair()
        told += await asyncio.to_thread(repair_evidence, self._skills, self._proposals)
        self._problems.set_or_clear("library", told[0] if told else None)
        if (put_right := await self._skills.put_right_error()) is not None:
            self._problems.report("put-right", put_right)

    async def propose_file_edits(self) -> None:
        """Turn hand edits of skill files into proposals, which the user must approve; if the skill
        library has changed, have requests use its new state.
        """
        await self.look_through()
        wrong = await self._changes.propose_file_edits()
        if wrong:
            self._problems.report("skills", wrong[0])
        else:
            self._problems.clear("skills")
        library = await asyncio.to_thread(self._skills.library)
        if library.generation != self._current.library.generation or not self._index.built:
            await self._current.put_into_use(library)
