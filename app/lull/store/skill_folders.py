"""Skill texts as files: the folders other tools can use, and every version for ever.

`skills/[CLIENT/]NAME/SKILL.md` is the working copy that a person may edit by hand (skills of
everybody lie in `skills/everybody/`); `versions/SHA256.md` holds each text that was ever approved,
named by its content and never written twice. Nothing is deleted: a removed skill's working copy
moves to `archive/`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lull.core.errors import SkillError, StoreError
from lull.core.skill import EVERYBODY, SkillKey, SkillText
from lull.store.skill_md import FILE_LIMIT, parse, render

FILE = "SKILL.md"
EVERYBODY_FOLDER = "everybody"
COPY_LIMIT = 16 * 1024 * 1024
"""Bytes of a whole imported folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A working copy as it lies on disk."""

    key: SkillKey
    sha256: str
    data: bytes


class SkillFolders:
    def __init__(self, root: Path) -> None:
        self.working = root / "skills"
        self.versions = root / "versions"
        self.archive = root / "archive"
        self._texts: dict[str, SkillText] = {}
        for folder in (self.working, self.versions):
            folder.mkdir(parents=True, exist_ok=True)

    # Versions

    def keep(self, text: SkillText) -> str:
        """Write the text as a version, if it is new; its sha256."""
        return self.keep_bytes(render(text))

    def keep_bytes(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._version(sha256)
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            write_atomically(target, data)
        return sha256

    def text(self, sha256: str) -> SkillText:
        """The text of a version. Raises StoreError when the file is gone or was changed."""
        if sha256 not in self._texts:
            self._texts[sha256] = parse(self.data(sha256), where=f"version {sha256[:12]}")
        return self._texts[sha256]

    def data(self, sha256: str) -> bytes:
        path = self._version(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror}.", hint="Restore it from a backup, or edit the skill."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise StoreError(
                f"{path} was changed: its content no longer has its name's hash.",
                hint="Versions are never edited; edit the working copy under skills/.",
            )
        return data

    def _version(self, sha256: str) -> Path:
        return self.versions / sha256[:2] / f"{sha256}.md"

    # Working copies

    def folder(self, key: SkillKey) -> Path:
        return self.working / (key.client or EVERYBODY_FOLDER) / key.name

    def check_out(self, key: SkillKey, sha256: str) -> None:
        """Make the working copy read as this version; other files beside it stay."""
        folder = self.folder(key)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FILE, self.data(sha256))

    def put_away(self, key: SkillKey) -> None:
        """Move a deleted skill's working copy to the archive."""
        folder = self.folder(key)
        if not folder.exists():
            return
        number = 1
        parent = self.archive / (key.client or EVERYBODY_FOLDER)
        while (target := parent / f"{key.name}.{number}").exists():
            number += 1
        parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)

    def copy_in(self, key: SkillKey, source: Path) -> None:
        """Copy the files beside an imported SKILL.md."""
        folder = self.folder(key)
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.rglob("*")):
            relative = path.relative_to(source)
            if path.is_symlink() or not path.is_file() or relative == Path(FILE):
                continue
            target = folder / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)

    def found(self) -> Iterator[Found | SkillError]:
        """Every working copy, or what is wrong with it."""
        for room in sorted(self.working.iterdir()) if self.working.is_dir() else []:
            if not room.is_dir() or room.name.startswith("."):
                continue
            client = EVERYBODY if room.name == EVERYBODY_FOLDER else room.name
            for folder in sorted(room.iterdir()):
                file = folder / FILE
                if not folder.name.startswith(".") and file.is_file():
                    yield self._read(SkillKey(client, folder.name), file)

    def marks(self) -> dict[str, tuple[int, int]]:
        """Size and time of each working copy: cheap to compare, to notice an edit by hand."""
        marks: dict[str, tuple[int, int]] = {}
        for file in self.working.glob(f"*/*/{FILE}"):
            with contextlib.suppress(OSError):
                stat = file.stat()
                marks[str(file)] = (stat.st_size, stat.st_mtime_ns)
        return marks

    def _read(self, key: SkillKey, file: Path) -> Found | SkillError:
        try:
            data = read_skill_file(file)
            text = parse(data, where=str(file))
            if text.name != key.name:
                raise SkillError(
                    f"{file}: the name is '{text.name}', the folder '{key.name}'.",
                    hint="Give both the same name.",
                )
        except SkillError as error:
            return error
        return Found(key=key, sha256=hashlib.sha256(data).hexdigest(), data=data)


def read_skill_file(file: Path) -> bytes:
    """The bytes of a SKILL.md. Raises SkillError."""
    try:
        if file.stat().st_size > FILE_LIMIT:
            raise SkillError(f"{file} is too large.", hint=f"At most {FILE_LIMIT} bytes are read.")
        return file.read_bytes()
    except OSError as error:
        raise SkillError(f"{file}: {error.strerror}.", hint="Check the file.") from error


def skill_files_below(folder: Path) -> list[Path]:
    """The SKILL.md of a skill folder, or of each folder in it. Raises SkillError when none is."""
    if not folder.is_dir():
        raise SkillError(f"{folder} is not a folder.", hint="Name a folder that holds skills.")
    own = folder / FILE
    files = [own] if own.is_file() else sorted(folder.glob(f"*/{FILE}"))
    if not files:
        raise SkillError(
            f"{folder} holds no {FILE}.", hint="A skill is a folder with a SKILL.md in it."
        )
    for file in files:
        size = sum(p.stat().st_size for p in file.parent.rglob("*") if p.is_file())
        if size > COPY_LIMIT:
            raise SkillError(
                f"{file.parent} has {size} bytes.", hint=f"At most {COPY_LIMIT} are imported."
            )
    return files


def write_atomically(path: Path, data: bytes) -> None:
    """The whole file or the old one, whatever happens in between."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
