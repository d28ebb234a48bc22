"""Finds the files that ship with Lull: built-in models, the model that reads feedback, starter
skills, test questions for models, prompts, translations and icons.

An installed Lull has them inside its package; a source checkout has them beside the folder `app/`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from lull.core.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "_resources", _PACKAGE.parents[1] / "resources")
"""Folders to search: first that of a wheel or frozen app, then that of a checkout."""
INSTALL_AGAIN = "Install Lull again; in a checkout, run `git checkout -- resources`."


def chat_adapter_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the LoRA adapter that makes a small open model Lull's built-in chat
    model. Raises ResourceError if it is missing.
    """
    return _found("english", "model.json", places)


def pocket_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the tiny built-in model that speaks only a toy language of fixed
    phrases, which makes tests fast. Raises ResourceError if it is missing.
    """
    return _found("pocket", "config.json", places)


def starter_skills_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder that holds the starter skills (instruction texts), each
    in a folder of its own. Raises ResourceError.
    """
    return _found("skills", "*/SKILL.md", places)


def probes_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the canary prompts, which test whether a LoRA adapter has lost
    abilities; it has one JSON file for each family of prompts. Raises ResourceError.
    """
    return _found("probes", "*.json", places)


def exams_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the exam questions, which test whether a chat model may read feedback,
    judge answers or write skills; it has one JSON-lines file for each of these roles. Raises
    ResourceError.
    """
    return _found("exams", "*.jsonl", places)


def placement_cases_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the test cases that show in which place of a prompt a model obeys skills
    (instruction texts) best. Raises ResourceError.
    """
    return _found("placing", "cases.jsonl", places)


def reader_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the trained weights of the small reader, the model that reads users'
    messages for feedback. Raises ResourceError.
    """
    return _found("reader", "reader.json", places)


def request_kinds_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the data of the classifier that tells what kind of text a request asks
    for (e-mail, SQL, poem …). Raises ResourceError.
    """
    return _found("kinds", "kinds.npz", places)


@lru_cache(maxsize=4)
def icons_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of Lull's own SVG icons. Raises ResourceError."""
    return _found("icons", "*.svg", places)


def languages_dir(places: tuple[Path, ...] = _PLACES) -> Path:
    """Return the folder of the window's catalogues of translated texts. Raises ResourceError."""
    return _found("languages", "*.po", places)


@lru_cache(maxsize=16)
def prompt(name: str, places: tuple[Path, ...] = _PLACES) -> str:
    """Return the text of one of Lull's own prompts to models, by its name, such as `judge-turn`.

    Raises ResourceError.
    """
    file = f"{name}.md"
    return (_found("prompts", file, places) / file).read_text("utf-8").strip()


def prompt_sha256(name: str, places: tuple[Path, ...] = _PLACES) -> str:
    """Return the hash of the exact text of one of Lull's prompts.

    It is stored with results, to say which wording of the prompt led to them.
    """
    return hashlib.sha256(prompt(name, places).encode()).hexdigest()


def _found(name: str, proof: str, places: tuple[Path, ...]) -> Path:
    """Return the first of the possible folders that has a file matching the pattern `proof`; an
    empty folder does not count.
    """
    for place in places:
        if any((place / name).glob(proof)):
            return place / name
    looked = " or ".join(str(place / name) for place in places)
    raise ResourceError(
        f"There is no {proof} in {looked}.",
        hint=INSTALL_AGAIN,
    )
