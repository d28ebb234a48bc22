"""Stores skill texts as files: folders that other tools can use, and every approved version.

`skills/[CLIENT/]NAME/SKILL.md` is the working copy, which a person may edit (shared skills are in
`skills/everybody/`). `versions/SHA256.md` holds every text ever approved, named by its hash and
never overwritten. Only `forget` deletes: a removed skill's working copy moves to `archive/`. The
other files of an imported folder wait in `waiting/PROPOSAL/` (`ImportedFiles`).
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from lull.core.errors import SkillError, StoreError
from lull.core.skills.skill import EVERYBODY, RESERVED_CLIENT, SkillKey, SkillText, check_client
from lull.store.disk.on_disk import (
    TEMPORARY,
    inside,
    make_folder,
    read_regular,
    write_atomically,
)
from lull.store.skills.skill_files import (
    COPY_LIMIT,
    SKILL_FILE,
    copy_beside,
    file_error,
    file_proves,
    proves,
    read_skill_file,
    sha256_of,
    without_secrets,
)
from lull.store.skills.skill_md import FILE_LIMIT, line_of_key, parse, render

EVIDENCE = "evidence.json"
EVERYBODY_FOLDER = RESERVED_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingCopy:
    """A skill's working copy (the SKILL.md that the user may edit), as read from disk."""

    key: SkillKey
    sha256: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableSkill:
    """A skill's working copy (the SKILL.md that the user may edit) that cannot be read, and why."""

    key: SkillKey | None
    """The skill that the folder should hold; None if the folder is in the wrong place."""
    error: SkillError


class SkillFolders:
    """Reads and writes the folders with skill texts (SKILL.md files) under `root`. Blocking."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.working = root / "skills"
        self.versions = root / "versions"
        self.archive = root / "archive"
        self._texts: dict[str, SkillText] = {}
        for folder in (self.working, self.versions):
            make_folder(folder)

    # Versions

    def keep(self, text: SkillText) -> str:
        """Store a skill text, if it is new, as a version file; return its sha256."""
        return self.keep_bytes(render(text))

    def keep_bytes(self, data: bytes) -> str:
        """Store the bytes of a skill's text under their sha256, and return it. Blocking."""
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._version(sha256)
        if sha256_of(target) != sha256:
            make_folder(target.parent)
            write_atomically(target, data)
        return sha256

    def is_kept(self, sha256: str) -> bool:
        """Return whether this version of a skill text is stored on disk and undamaged."""
        return sha256_of(self._version(sha256)) == sha256

    def kept(self) -> list[str]:
        """List all stored versions of skill texts, as their sha256."""
        return [file.stem for file in self.versions.glob("*/*.md")]

    def ensure_intact(self, sha256: str, key: SkillKey | None = None) -> bool:
        """Restore the file of this version of a skill text if it is lost or damaged and a copy
        exists; return whether the file is intact now.

        Copies are the text read earlier and the skill's working and archived copies.
        """
        if not self.is_kept(sha256):
            read = self._texts.get(sha256)
            if read is not None and hashlib.sha256(render(read)).hexdigest() == sha256:
                self.keep(read)
            elif key is not None:
                self._restore(sha256, key)
        return self.is_kept(sha256)

    def keep_evidence(self, sha256: str, data: bytes) -> None:
        """Store the proof document (evidence that the skill helps) that belongs to a version of a
        skill.

        A valid proof is never replaced by one that proves nothing: the same text may be approved
        again, untested, for another client.
        """
        target = self._evidence(sha256)
        if file_proves(target) and not proves(data):
            return
        make_folder(target.parent)
        write_atomically(target, data)

    def _evidence(self, sha256: str) -> Path:
        return inside(inside(self.versions, sha256[:2]), f"{sha256}.{EVIDENCE}")

    def text(self, sha256: str, key: SkillKey | None = None) -> SkillText:
        """Return the text of a version of a skill, given by its sha256.

        Raises StoreError if the file is missing or was changed. With `key`, a lost version is
        restored from the skill's working or archived copy.
        """
        if sha256 not in self._texts:
            if key is not None and sha256_of(self._version(sha256)) != sha256:
                self._restore(sha256, key)
            self._texts[sha256] = parse(self.data(sha256), where=f"version {sha256[:12]}")
        return self._texts[sha256]

    def _restore(self, sha256: str, key: SkillKey) -> None:
        archived = (copy / SKILL_FILE for copy in self._archived(key))
        for file in (self.folder(key) / SKILL_FILE, *archived):
            if sha256_of(file) == sha256:
                self.keep_bytes(read_regular(file, FILE_LIMIT))
                return

    def data(self, sha256: str) -> bytes:
        """Return the stored bytes of a skill's text. Raises StoreError if they are damaged or gone.
        Blocking.
        """
        path = self._version(sha256)
        try:
            data = read_regular(path, COPY_LIMIT)
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror}.", hint="Restore it from a backup, or edit the skill."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise StoreError(
                f"{path} was changed: its content no longer matches the hash in its name.",
                hint="Versions are never edited; edit the working copy under skills/.",
            )
        return data

    def _version(self, sha256: str) -> Path:
        return inside(inside(self.versions, sha256[:2]), f"{sha256}.md")

    def has_version(self, sha256: str) -> bool:
        """Return whether bytes with this sha256 are stored. Blocking."""
        return self._version(sha256).is_file()

    # Working copies

    def folder(self, key: SkillKey) -> Path:
        """Return the folder of a skill that the user may edit."""
        return inside(inside(self.working, _client_folder(key)), key.name)

    def was_deleted(self, key: SkillKey) -> bool:
        """Return whether a person deleted this skill's folder. If the whole folder of its client is
        gone, the skill counts as lost, not as deleted.
        """
        return not self.folder(key).exists() and (self.working / _client_folder(key)).is_dir()

    def check_out(self, key: SkillKey, sha256: str) -> None:
        """Write a version of a skill's text to its working copy (SKILL.md); other files beside it
        stay.

        A text there that was never a version is archived first.
        """
        file = self.folder(key) / SKILL_FILE
        make_folder(file.parent)
        there = sha256_of(file)
        if there not in ("", sha256) and not self._version(there).exists():
            spare = self._free_archive(key)
            spare.mkdir(parents=True)
            write_atomically(spare / SKILL_FILE, without_secrets(read_regular(file, COPY_LIMIT)))
        write_atomically(file, self.data(sha256))
        self._lay_evidence(file.with_name(EVIDENCE), sha256)

    def _lay_evidence(self, file: Path, sha256: str) -> None:
        """Write this version's proof beside the working copy, or remove another version's."""
        proof = self._evidence(sha256)
        if proof.is_file():
            write_atomically(file, read_regular(proof, COPY_LIMIT))
        elif self._is_ours(file):
            file.unlink()

    def _is_ours(self, file: Path) -> bool:
        """Return whether Lull wrote this proof for some version; files of others stay."""
        mark = sha256_of(file)
        return bool(mark) and any(
            sha256_of(kept) == mark for kept in self.versions.glob(f"*/*.{EVIDENCE}")
        )

    def evidence(self, key: SkillKey) -> bytes | None:
        """Return the proof document (evidence that the skill helps) beside a skill's working copy,
        or None.
        """
        try:
            return read_regular(self.folder(key) / EVIDENCE, COPY_LIMIT)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise file_error(self.folder(key) / EVIDENCE, error) from error

    def kept_evidence(self, sha256: str) -> bytes | None:
        """Return the proof document (evidence that it helps) of a skill version; None if it cannot
        be read.
        """
        try:
            return read_regular(self._evidence(sha256), COPY_LIMIT)
        except OSError:
            return None

    def kept_proofs(self) -> dict[str, bytes]:
        """Return every proof document (evidence that a skill helps) that can be read, by the sha256
        of the skill's text. Blocking.
        """
        found = {}
        for file in self.versions.glob(f"*/*.{EVIDENCE}"):
            sha256 = file.name.removesuffix(f".{EVIDENCE}")
            data = self.kept_evidence(sha256)
            if data is not None:
                found[sha256] = data
        return found

    def set_evidence(self, key: SkillKey, sha256: str, data: bytes) -> None:
        """Overwrite the proof document (evidence that it helps) of a skill version, also in the
        skill's working copy if there is one.
        """
        write_atomically(self._evidence(sha256), data)
        if self.folder(key).is_dir():
            write_atomically(self.folder(key) / EVIDENCE, data)

    def move_to_archive(self, key: SkillKey) -> None:
        """Move a deleted skill's working copy (the folder that the user may edit) to the
        archive.
        """
        folder = self.folder(key)
        if not folder.exists():
            return
        for left in folder.glob(f".*.{TEMPORARY}"):  # left by a killed write
            left.unlink(missing_ok=True)
        target = self._free_archive(key)
        make_folder(target.parent)
        there = sha256_of(folder / SKILL_FILE)
        if there and not self._version(there).exists():  # before the move, which a kill may follow
            data = read_regular(folder / SKILL_FILE, COPY_LIMIT)
            write_atomically(folder / SKILL_FILE, without_secrets(data))
        folder.rename(target)

    def _free_archive(self, key: SkillKey) -> Path:
        folder = inside(self.archive, _client_folder(key))
        places = (inside(folder, f"{key.name}.{number}") for number in count(1))
        return next(place for place in places if not place.exists())

    def _archived(self, key: SkillKey) -> Iterator[Path]:
        return self._free_archive(key).parent.glob(f"{glob.escape(key.name)}.*")

    def copy_out(self, key: SkillKey, sha256: str, target: Path) -> None:
        """Export a skill folder for other tools: this version's text and the working copy's
        additional files.
        """
        target.mkdir(parents=True)
        if self.folder(key).is_dir():
            copy_beside(self.folder(key), target)
        write_atomically(target / SKILL_FILE, self.data(sha256))

    def forget(
        self, gone: Sequence[SkillKey], back: Sequence[SkillKey], texts: Sequence[str]
    ) -> None:
        """Delete for good all files of the skills in `gone`, the archived copies of the skills in
        `back` (those set back to an earlier text), and the given texts with their evidence.

        Nothing else in this class deletes texts. Safe to repeat.
        """
        for key in gone:
            shutil.rmtree(self.folder(key), ignore_errors=True)
        for key in (*gone, *back):
            for archived in self._archived(key):
                shutil.rmtree(archived, ignore_errors=True)
        for sha256 in texts:
            self._version(sha256).unlink(missing_ok=True)
            self._evidence(sha256).unlink(missing_ok=True)
            self._texts.pop(sha256, None)

    def working_copies(self) -> Iterator[WorkingCopy | UnreadableSkill]:
        """Yield every skill's working copy (SKILL.md) on disk; for one that cannot be read, the
        reason.
        """
        for place in _visible(self.working):
            client = EVERYBODY if place.name == EVERYBODY_FOLDER else place.name
            if not place.is_dir():
                continue
            if (place / SKILL_FILE).is_file() or not _is_client(client):
                yield UnreadableSkill(key=None, error=_misplaced(place))
                continue
            for folder in _visible(place):
                key = SkillKey(client, folder.name)
                try:
                    there = (folder / SKILL_FILE).is_file()
                except OSError as error:
                    yield UnreadableSkill(key=key, error=file_error(folder, error))
                    continue
                if there:
                    yield self._read(key, folder / SKILL_FILE)

    def file_stamps(self) -> dict[str, tuple[int, int]]:
        """Return size and modification time of each skill's working copy (SKILL.md), by path, from
        which an edit by the user is noticed.
        """
        marks: dict[str, tuple[int, int]] = {}
        for file in self.working.glob(f"*/*/{SKILL_FILE}"):
            with contextlib.suppress(OSError):
                stat = file.stat()
                marks[str(file)] = (stat.st_size, stat.st_mtime_ns)
        return marks

    def _read(self, key: SkillKey, file: Path) -> WorkingCopy | UnreadableSkill:
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
            return UnreadableSkill(key=key, error=error)
        return WorkingCopy(key=key, sha256=hashlib.sha256(data).hexdigest(), data=data)


def _client_folder(key: SkillKey) -> str:
    return key.client or EVERYBODY_FOLDER


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
