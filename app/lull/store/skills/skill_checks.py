"""Reads the checks of answers (exact programs, such as a test of their length) that the user
approved together with a skill's text.
"""

from __future__ import annotations

import logging

from lull.core.checks.check import CheckSet
from lull.core.checks.reading import parse_all
from lull.core.errors import LullError
from lull.core.proof.proposal import CHECK
from lull.store.skills.skill_folders import SkillFolders

log = logging.getLogger(__name__)


class ApprovedChecks:
    """Reads the checks that the user approved together with skills (instruction texts); implements
    `ChecksOfSkills`.
    """

    def __init__(self, folders: SkillFolders) -> None:
        self._folders = folders

    def checks_of(self, sha256: str) -> CheckSet | None:
        try:
            text = self._folders.text(sha256).metadata.get(CHECK, "")
            return parse_all(text) if text else None
        except LullError as error:
            log.info("a skill's check is not used: %s", error)
            return None
