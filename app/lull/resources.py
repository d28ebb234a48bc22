"""Where the files are that ship with Lull: the built-in model, the reader, the starter
skills, the prompts.

An installed Lull carries them inside its package, a checkout beside `app/`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from lull.core.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "_resources", _PACKAGE.parents[1] / "resources")
"""In a wheel or a frozen app, and in a checkout."""
INSTALL_AGAIN = "Install Lull again; in a checkout, run `git checkout -- resources`."


def pocket_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """The built-in model. Raises ResourceError."""
    return _found("pocket", "config.json", places)


def starter_skills_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """A folder of skill folders. Raises ResourceError."""
    return _found("skills", "*/SKILL.md", places)


def probes_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Families of canaries, one JSON file each. Raises ResourceError."""
    return _found("probes", "*.json", places)


def exams_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """The sheets of the exams, one JSON-lines file a role. Raises ResourceError."""
    return _found("exams", "*.jsonl", places)


def reader_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """What the small reader has learned. Raises ResourceError."""
    return _found("reader", "reader.json", places)


def kinds_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """What is known of kinds of requests. Raises ResourceError."""
    return _found("kinds", "kinds.npz", places)


@lru_cache(maxsize=4)
def icons_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Our own drawings, SVG files. Raises ResourceError."""
    return _found("icons", "*.svg", places)


@lru_cache(maxsize=16)
def prompt(name: str, places: tuple[Path, ...] = _PLACES) -> str:
    """What Lull tells a model that it asks itself, such as `judge-turn`. Raises ResourceError."""
    file = f"{name}.md"
    return (_found("prompts", file, places) / file).read_text("utf-8").strip()


def prompt_sha256(name: str, places: tuple[Path, ...] = _PLACES) -> str:
    """Names the exact words: evidence says by which ones a judge was asked."""
    return hashlib.sha256(prompt(name, places).encode()).hexdigest()


def _found(name: str, proof: str, places: tuple[Path, ...]) -> Path:
    """The first folder that really holds something: an empty one is a broken installation."""
    for place in places:
        if any((place / name).glob(proof)):
            return place / name
    looked = " or ".join(str(place / name) for place in places)
    raise ResourceError(
        f"There is no {proof} in {looked}.",
        hint=INSTALL_AGAIN,
    )
