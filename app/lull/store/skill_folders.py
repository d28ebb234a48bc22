"""Skill texts as files: the folders other tools can use, and every version for ever.

`skills/[CLIENT/]NAME/SKILL.md` is the working copy that a person may edit by hand (skills of
everybody lie in `skills/everybody/`); `versions/SHA256.md` holds each text that was ever approved,
named by its content and never written twice. Nothing is deleted: a removed skill's working copy
moves to `archive/`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lull.core.errors import SkillError, StoreError
from lull.core.evidence import evidence_from_json
from lull.core.proof import ProofState
from lull.core.skill import EVERYBODY, RESERVED_CLIENT, SkillKey, SkillText, check_client
from lull.store.skill_md import FILE_LIMIT, line_of_key, parse, render

FILE = "SKILL.md"
EVIDENCE = "evidence.json"
EVERYBODY_FOLDER = RESERVED_CLIENT
COPY_LIMIT = 16 * 1024 * 1024
"""Bytes of a whole imported folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A working copy as it lies on disk."""

    key: SkillKey
    sha256: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A working copy that cannot be taken in, and why."""

    key: SkillKey | None
    """None where the place itself is wrong."""
    error: SkillError


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
        if _sha256_of(target) != sha256:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, data)
        return sha256

    def keep_evidence(self, sha256: str, data: bytes) -> None:
        """The proof that belongs to a version. One that holds is not given up for one that proves
        nothing: the same text may be approved once more, for another client and untried."""
        target = self._evidence(sha256)
        if target.is_file() and _proves(target.read_bytes()) and not _proves(data):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, data)

    def _evidence(self, sha256: str) -> Path:
        return self.versions / sha256[:2] / f"{sha256}.{EVIDENCE}"

    def text(self, sha256: str, key: SkillKey | None = None) -> SkillText:
        """The text of a version. Raises StoreError when the file is gone or was changed.

        With `key`, a lost version is restored from the skill's working or archived copy.
        """
        if sha256 not in self._texts:
            if key is not None and _sha256_of(self._version(sha256)) != sha256:
                self._restore(sha256, key)
            self._texts[sha256] = parse(self.data(sha256), where=f"version {sha256[:12]}")
        return self._texts[sha256]

    def _restore(self, sha256: str, key: SkillKey) -> None:
        archived = (self.archive / _room(key)).glob(f"{key.name}.*/{FILE}")
        for file in (self.folder(key) / FILE, *archived):
            if _sha256_of(file) == sha256:
                self.keep_bytes(file.read_bytes())
                return

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
        return self.working / _room(key) / key.name

    def was_deleted(self, key: SkillKey) -> bool:
        """True when a person removed this one folder; a room that is gone as a whole is a loss."""
        return not self.folder(key).exists() and (self.working / _room(key)).is_dir()

    def check_out(self, key: SkillKey, sha256: str) -> None:
        """Make the working copy read as this version; other files beside it stay. A text that
        we never wrote there and never took in goes to the archive first."""
        file = self.folder(key) / FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        there = _sha256_of(file)
        if there not in ("", sha256) and not self._version(there).exists():
            spare = self._free_archive(key)
            spare.mkdir(parents=True)
            shutil.copyfile(file, spare / FILE)
        write_atomically(file, self.data(sha256))
        self._lay_evidence(file.with_name(EVIDENCE), sha256)

    def _lay_evidence(self, file: Path, sha256: str) -> None:
        """The proof of this version beside it, and none that belongs to another one."""
        proof = self._evidence(sha256)
        if proof.is_file():
            write_atomically(file, proof.read_bytes())
        elif self._is_ours(file):
            file.unlink()

    def _is_ours(self, file: Path) -> bool:
        """One that we wrote, of whichever version: what others put there stays."""
        mark = _sha256_of(file)
        return bool(mark) and any(
            _sha256_of(kept) == mark for kept in self.versions.glob(f"*/*.{EVIDENCE}")
        )

    def evidence(self, key: SkillKey) -> bytes | None:
        """The proof that lies beside a skill's working copy; None where there is none."""
        try:
            return (self.folder(key) / EVIDENCE).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _in_words(self.folder(key) / EVIDENCE, error) from error

    def put_away(self, key: SkillKey) -> None:
        """Move a deleted skill's working copy to the archive."""
        folder = self.folder(key)
        if not folder.exists():
            return
        target = self._free_archive(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)

    def _free_archive(self, key: SkillKey) -> Path:
        number = 1
        while (target := self.archive / _room(key) / f"{key.name}.{number}").exists():
            number += 1
        return target

    def copy_in(self, key: SkillKey, source: Path) -> None:
        """Copy the files beside an imported SKILL.md."""
        _copy_beside(source, self.folder(key))

    def copy_out(self, key: SkillKey, sha256: str, target: Path) -> None:
        """Write a skill folder for other tools: this version and the files beside the copy."""
        target.mkdir(parents=True)
        if self.folder(key).is_dir():
            _copy_beside(self.folder(key), target)
        write_atomically(target / FILE, self.data(sha256))

    def forget(
        self, gone: Sequence[SkillKey], back: Sequence[SkillKey], texts: Sequence[str]
    ) -> None:
        """Remove these skills' folders and archives, and these texts with their proofs: the one
        thing that deletes anything here. Of `back` the working copies stay, their archives go.
        Safe to do twice."""
        for key in gone:
            shutil.rmtree(self.folder(key), ignore_errors=True)
        for key in (*gone, *back):
            for archived in (self.archive / _room(key)).glob(f"{key.name}.*"):
                shutil.rmtree(archived, ignore_errors=True)
        for sha256 in texts:
            self._version(sha256).unlink(missing_ok=True)
            self._evidence(sha256).unlink(missing_ok=True)
            self._texts.pop(sha256, None)

    def found(self) -> Iterator[Found | Unreadable]:
        """Every working copy, or what is wrong with it."""
        for room in _visible(self.working):
            client = EVERYBODY if room.name == EVERYBODY_FOLDER else room.name
            if not room.is_dir():
                continue
            if (room / FILE).is_file() or not _is_client(client):
                yield Unreadable(key=None, error=_misplaced(room))
                continue
            for folder in _visible(room):
                key = SkillKey(client, folder.name)
                try:
                    there = (folder / FILE).is_file()
                except OSError as error:
                    yield Unreadable(key=key, error=_in_words(folder, error))
                    continue
                if there:
                    yield self._read(key, folder / FILE)

    def marks(self) -> dict[str, tuple[int, int]]:
        """Size and time of each working copy: cheap to compare, to notice an edit by hand."""
        marks: dict[str, tuple[int, int]] = {}
        for file in self.working.glob(f"*/*/{FILE}"):
            with contextlib.suppress(OSError):
                stat = file.stat()
                marks[str(file)] = (stat.st_size, stat.st_mtime_ns)
        return marks

    def _read(self, key: SkillKey, file: Path) -> Found | Unreadable:
        try:
            data = read_skill_file(file)
            text = parse(data, where=str(file))
            if text.name != key.name:
                raise SkillError(
                    f"{file}, line {line_of_key(data, 'name')}: the name is '{text.name}',"
                    f" the folder '{key.name}'.",
                    hint="Give both the same name.",
                )
        except SkillError as error:
            return Unreadable(key=key, error=error)
        return Found(key=key, sha256=hashlib.sha256(data).hexdigest(), data=data)


def _room(key: SkillKey) -> str:
    return key.client or EVERYBODY_FOLDER


def _proves(evidence: bytes) -> bool:
    try:
        return evidence_from_json(json.loads(evidence)).decision.state is ProofState.PROVED
    except ValueError:
        return False


def _is_client(name: str) -> bool:
    try:
        check_client(name)
    except SkillError:
        return False
    return True


def _visible(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    except OSError:
        return []


def _misplaced(folder: Path) -> SkillError:
    return SkillError(
        f"{folder} is not where Lull reads skills.",
        hint=f"Move the skill's folder into {folder.parent / EVERYBODY_FOLDER}.",
    )


def _in_words(path: Path, error: OSError) -> SkillError:
    return SkillError(f"{path}: {error.strerror}.", hint="Check the file and its permissions.")


def _sha256_of(file: Path) -> str:
    """Of the file's bytes; "" where there is none to be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _copy_beside(source: Path, target: Path) -> None:
    """Every file but the SKILL.md and links, which may lead anywhere. Raises SkillError."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        hidden = any(part.startswith(".") for part in relative.parts)
        if hidden or path.is_symlink() or not path.is_file() or relative == Path(FILE):
            continue
        copy = target / relative
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        except OSError as error:
            raise _in_words(path, error) from error


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
    files = [own] if own.is_file() else sorted(folder.glob(f"[!.]*/{FILE}"))
    if not files:
        raise SkillError(
            f"{folder} holds no {FILE}.", hint="A skill is a folder with a SKILL.md in it."
        )
    for file in files:
        size = sum(p.lstat().st_size for p in file.parent.rglob("*") if p.is_file())
        if size > COPY_LIMIT:
            raise SkillError(
                f"{file.parent} has {size} bytes.", hint=f"At most {COPY_LIMIT} are imported."
            )
    return files


def write_atomically(path: Path, data: bytes) -> None:
    """The whole file or the old one, whatever happens in between."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
