"""Where the files are that ship with Lull: the built-in model and the starter skills.

An installed Lull carries them inside its package, a checkout beside `app/`.
"""

from __future__ import annotations

from pathlib import Path

from lull.core.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "_resources", _PACKAGE.parents[1] / "resources")
"""In a wheel or a frozen app, and in a checkout."""


def pocket_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """The built-in model. Raises ResourceError."""
    return _found("pocket", "config.json", places)


def starter_skills_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """A folder of skill folders. Raises ResourceError."""
    return _found("skills", "*/SKILL.md", places)


def _found(name: str, proof: str, places: tuple[Path, ...]) -> Path:
    """The first folder that really holds something: an empty one is a broken installation."""
    for place in places:
        if any((place / name).glob(proof)):
            return place / name
    looked = " or ".join(str(place / name) for place in places)
    raise ResourceError(
        f"There is no {proof} in {looked}.",
        hint="Install Lull again; in a checkout, run `git checkout -- resources`.",
    )
