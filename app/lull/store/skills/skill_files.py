"""Reads and writes single files of skill folders, including folders that are imported."""

from __future__ import annotations

import codecs
import errno
import hashlib
import json
import os
import shutil
from pathlib import Path

from lull.core.errors import SkillError
from lull.core.proof.evidence import evidence_from_json
from lull.core.proof.proof import ProofState
from lull.core.provenance.redaction import redact_text
from lull.core.skills.skill_secrets import (
    first_secret,
    name_without_secrets,
    secret_in_name,
)
from lull.store.disk.on_disk import NOT_REGULAR, make_folder, open_regular, read_regular, to_disk
from lull.store.skills.skill_md import FILE_LIMIT

SKILL_FILE = "SKILL.md"
"""Suffix of files that are being written."""
COPY_LIMIT = 16 * 1024 * 1024
"""Most bytes of an imported skill folder, and of any file in the library."""
SEARCHED_BYTES = 4 * 1024 * 1024
"""Most bytes beside a SKILL.md that are searched for secrets, which takes seconds for each MB."""


def file_error(path: Path, error: OSError) -> SkillError:
    """Return the error for a skill's file that cannot be read or written."""
    return SkillError(f"{path}: {error.strerror}.", hint="Check the file and its permissions.")


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of the file's content; "" if it cannot be read or is too large."""
    try:
        return hashlib.sha256(read_regular(file, COPY_LIMIT)).hexdigest()
    except OSError:
        return ""


def file_proves(file: Path) -> bool:
    """Return whether a stored proof document (evidence that a skill helps) proves its skill; False
    if it is missing or cannot be read.
    """
    try:
        return proves(read_regular(file, COPY_LIMIT))
    except OSError:
        return False


def proves(evidence: bytes) -> bool:
    """Return whether a proof document (evidence that a skill helps) proves its skill."""
    try:
        return evidence_from_json(json.loads(evidence)).decision.state is ProofState.PROVED
    except ValueError:
        return False


def files_beside(source: Path) -> list[Path]:
    """List the additional files of a skill folder: all but SKILL.md, hidden files and links."""
    return [
        path
        for path in sorted(source.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(source).parts)
        and not path.is_symlink()
        and path.is_file()
        and path != source / SKILL_FILE
    ]


def secret_beside(folder: Path) -> str:
    """Return where an additional file of a skill folder contains a password or a key, as
    "FOLDER/FILE:LINE (KIND)", or which file has one in its name; "" if there is none. Blocking.

    Only the first SEARCHED_BYTES of the files, in the order of their names, are looked through.
    """
    left = SEARCHED_BYTES
    for path in files_beside(folder):
        name = path.relative_to(folder).as_posix()
        if kind := secret_in_name(name):
            return f"{folder.name}/{name_without_secrets(name)}, in the file's name ({kind})"
        try:
            with os.fdopen(open_regular(path), "rb") as file:
                data = file.read(left)
        except OSError:
            continue  # whoever copies it says that it cannot be read
        if found := first_secret(data):
            return f"{path.relative_to(folder.parent)}:{found[0]} ({found[1]})"
        left -= len(data)
    return ""


def check_beside(folder: Path) -> None:
    """Raise SkillError if an additional file of a skill folder contains a password or a key."""
    if where := secret_beside(folder):
        raise SkillError(
            f"There is a secret beside the skill: {where}.",
            hint="Take it out: the files beside a skill are kept, and go along with copies of it.",
        )


def copy_beside(source: Path, target: Path) -> None:
    """Copy the additional files of a skill folder (all but SKILL.md) to another folder. They are on
    the disk when this returns: then the database may say so, or `source` be removed. Raises
    SkillError.
    """
    for path in files_beside(source):
        copy = target / path.relative_to(source)
        try:
            make_folder(copy.parent)
            shutil.copyfile(path, copy)
            to_disk(copy)
            to_disk(copy.parent)
        except OSError as error:
            raise file_error(path, error) from error


def read_skill_file(file: Path) -> bytes:
    """Return the bytes of a SKILL.md file (a skill's text). Raises SkillError.

    A pipe or device in its place (it may have no end, or nobody who writes it) is refused.
    """
    try:
        return read_regular(file, FILE_LIMIT)
    except OSError as error:
        if error.errno == errno.EFBIG:
            hint = f"At most {FILE_LIMIT} bytes are read."
            raise SkillError(f"{file} is too large.", hint=hint) from error
        if error.strerror == NOT_REGULAR:
            hint = "Put a text file there."
            raise SkillError(f"{file} is not a regular file.", hint=hint) from error
        raise SkillError(f"{file}: {error.strerror}.", hint="Check the file.") from error


def skill_files_below(folder: Path) -> list[Path]:
    """Return the path of the SKILL.md in this folder, or else those in all skill folders directly
    below it.

    Raises SkillError if there is none or a folder is too large.
    """
    if not folder.is_dir():
        raise SkillError(f"{folder} is not a folder.", hint="Name a folder that holds skills.")
    own = folder / SKILL_FILE
    files = [own] if own.is_file() else sorted(folder.glob(f"[!.]*/{SKILL_FILE}"))
    if not files:
        raise SkillError(
            f"{folder} holds no {SKILL_FILE}.", hint="A skill is a folder with a SKILL.md in it."
        )
    for file in files:
        size = sum(p.lstat().st_size for p in file.parent.rglob("*") if p.is_file())
        if size > COPY_LIMIT:
            raise SkillError(
                f"{file.parent} has {size} bytes.", hint=f"At most {COPY_LIMIT} are imported."
            )
    return files


def without_secrets(data: bytes) -> bytes:
    """Return a text file's bytes with each secret (password, key, …) replaced by a placeholder.

    The text is UTF-8 or, after a byte order mark, UTF-16; damaged UTF-16 is returned as it is.
    """
    mark, encoding, errors = b"", "utf-8", "surrogateescape"
    for wide, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(wide):
            mark, encoding, errors = wide, name, "surrogatepass"
    try:
        text = data.removeprefix(mark).decode(encoding, errors)
    except UnicodeDecodeError:
        return data
    return mark + redact_text(text, lambda kind, secret: 1).encode(encoding, errors)
