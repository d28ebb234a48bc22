"""Creates Lull homes with many skills for measuring, each about a subject of its own."""

import asyncio
import random
import sys
from datetime import UTC, datetime
from pathlib import Path

from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.config.paths import Paths
from lull.core.skills.skill import ChangeKind, Library, Skill, SkillText, added
from lull.service.wiring.base.stores import open_stores
from lull.store.skills.skills import Skills, new_skill

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
EXEMPLARS = 1000


def subject(number: int) -> str:
    """Return a made-up word, always the same for the same number."""
    r = random.Random(number)
    return "".join(r.choice(_CONSONANTS) + r.choice(_VOWELS) for _ in range(4))


def put_skills_in_force(home: Path, count: int) -> None:
    """Put skills in force in a home that no service has open, as one change of its library."""
    stores = open_stores(Paths.from_environment({"LULL_HOME": str(home)}, sys.platform))
    try:
        asyncio.run(_add_skills(stores.skills, count))
    finally:
        stores.database.close()


async def _add_skills(skills: Skills, count: int) -> None:
    texts = [_skill(number) for number in range(count)]
    new = [new_skill(t, skills.folders.keep(t), client="", pinned=False) for t in texts]

    def plan(library: Library) -> list[Skill]:
        return [added(library, skill) for skill in new]

    now = datetime.now(UTC)
    await skills.change(plan, kind=ChangeKind.IMPORT, detail="for measuring", at=now)
    found = len(skills.library().skills)
    if found != count:
        raise RuntimeError(f"{found} of {count} skills are in force")


def _skill(number: int) -> SkillText:
    return SkillText(
        name=f"about-{subject(number)}-{number}",
        description=f"When {subject(number)} and {subject(number + 7)} reports are drafted or"
        " reviewed.",
        body=f"Open with the date. Keep {subject(number)} in metric units. Close with a summary"
        " of three points, each with its source, and say what is still open.\n",
    )


def write_exemplars(folder: Path, count: int) -> None:
    memory = ChromaExemplars(folder, HashedNgrams())
    for number in range(min(count, EXEMPLARS)):
        memory.add(
            id=f"e{number}",
            text=asked(number),
            client="bench",
            skill=f"about-{subject(number)}-{number}",
        )


def asked(number: int) -> str:
    """Return a request of about two hundred characters about the subject of one skill."""
    return (
        f"Please draft the {subject(number)} report for the committee, with the figures of the"
        f" last quarter, a short comparison with the year before, and a list of decisions that"
        f" are due. It goes out on day {number}."
    )
