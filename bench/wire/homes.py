"""Creates Lull homes with many skills for measuring, each about a subject of its own."""

import random
from pathlib import Path

from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
EXEMPLARS = 1000


def subject(number: int) -> str:
    """Return a made-up word, always the same for the same number."""
    r = random.Random(number)
    return "".join(r.choice(_CONSONANTS) + r.choice(_VOWELS) for _ in range(4))


def write_skills(folder: Path, count: int) -> None:
    for number in range(count):
        name = f"about-{subject(number)}-{number}"
        target = folder / name
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: When {subject(number)} and"
            f" {subject(number + 7)} reports are drafted or reviewed.\n---\n\n"
            f"Open with the date. Keep {subject(number)} in metric units. Close with a summary"
            " of three points, each with its source, and say what is still open.\n"
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
