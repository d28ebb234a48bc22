"""Skills, their versions, and the library S as a value that changes only by whole generations.

A skill belongs to everybody (client "") or to one client identity. Changes are values; applying
them to a library gives the next one or an error, and never half of a change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from lull.core.errors import Conflict, NotFound, SkillError

EVERYBODY = ""
SCOPE = "scope"
"""The metadata key that says of which requests a skill holds."""
NAME_LIMIT = 64
DESCRIPTION_LIMIT = 1024
BODY_LIMIT = 16_384
"""Characters: only stops accidents; what a body costs in every prompt is the budget's matter."""

RESERVED_CLIENT = "everybody"
"""The folder of the skills that belong to everybody: no client may have it as a name."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class SkillStatus(StrEnum):
    ACTIVE = "active"
    DISABLED = "disabled"
    ARCHIVED = "archived"
    """Deleted by the user; the text stays for the history and for roll-back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """What a SKILL.md says."""

    name: str
    description: str
    """When the skill applies: this is what retrieval reads."""
    body: str
    """What is put into the prompt."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    """YAML of front-matter keys that the format allows and Lull does not use, kept verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill as it stands in one generation."""

    client: str
    name: str
    version: int
    """1 for the first text under this name and client."""
    sha256: str
    """Of the exact bytes of its SKILL.md."""
    description: str
    body: str
    status: SkillStatus = SkillStatus.ACTIVE
    pinned: bool = False
    since: int = field(default=0, compare=False)
    """The generation in which it began to stand so."""
    latest: int = field(default=0, compare=False)
    """The highest version number that this name ever had: after a roll-back it is higher than
    `version`, and the next text gets the number after it."""

    @property
    def key(self) -> SkillKey:
        return SkillKey(self.client, self.name)


class SkillKey(NamedTuple):
    """A tuple, because the request path hashes many of them."""

    client: str
    name: str


class ChangeKind(StrEnum):
    ADD = "add"
    EDIT = "edit"
    PIN = "pin"
    UNPIN = "unpin"
    DISABLE = "disable"
    ENABLE = "enable"
    DELETE = "delete"
    ROLLBACK = "rollback"
    IMPORT = "import"
    HAND_EDIT = "hand-edit"
    APPROVE = "approve"
    RETIRE = "retire"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillGeneration:
    """The library at one number: what was approved, when, and by which change."""

    number: int
    at: datetime
    change: ChangeKind
    detail: str
    """In words: `add menu-style`."""


@dataclass(frozen=True, slots=True)
class Room:
    """The active skills that may reach one client's prompts."""

    skills: Mapping[SkillKey, Skill]
    pinned: tuple[Skill, ...]


NOTHING_THERE = Room(skills={}, pinned=())


@dataclass(frozen=True)
class Library:
    """S: every skill that ever was, as it stands in generation `generation`."""

    generation: int
    skills: Mapping[SkillKey, Skill]
    _rooms: dict[str, Room] = field(default_factory=dict, compare=False, repr=False)
    """Worked out once for each client that has skills of its own: a request must not look
    through ten thousand skills."""

    @cached_property
    def clients(self) -> frozenset[str]:
        """The clients that have skills of their own."""
        return frozenset(key.client for key in self.skills if key.client != EVERYBODY)

    def room(self, client: str, *, apart: bool) -> Room:
        """What this client's requests choose from.

        A client kept apart sees only its own, any other only everybody's: what a program calls
        itself opens nobody's room.
        """
        if not apart:
            return self._room(EVERYBODY)
        return self._room(client) if client in self.clients else NOTHING_THERE

    def _room(self, client: str) -> Room:
        if client not in self._rooms:
            chosen = self.active_for(client)
            self._rooms[client] = Room(
                skills={skill.key: skill for skill in chosen},
                pinned=tuple(skill for skill in chosen if skill.pinned),
            )
        return self._rooms[client]

    def active_for(self, client: str) -> list[Skill]:
        """The skills of a client's own room, EVERYBODY's for "", by name."""
        # One whose version file is lost has no body: there is nothing to put in.
        found = [
            skill
            for key, skill in self.skills.items()
            if key.client == client and skill.status is SkillStatus.ACTIVE and skill.body
        ]
        return sorted(found, key=lambda skill: skill.name)

    def get(self, key: SkillKey) -> Skill:
        skill = self.skills.get(key)
        if skill is None:
            whose = f" of client {key.client}" if key.client else ""
            raise NotFound(
                f"There is no skill '{key.name}'{whose}.",
                hint="`lull skills list --all` shows every skill.",
            )
        return skill


def added(library: Library, new: Skill) -> Skill:
    """The skill to put into the next generation; a deleted name may be used again."""
    old = library.skills.get(new.key)
    if old is not None and old.status is not SkillStatus.ARCHIVED:
        raise Conflict(
            f"There is already a skill '{new.name}'.",
            hint=f"Change it with `skills edit {new.name}`.",
        )
    return _next_version(new, old)


def _next_version(new: Skill, old: Skill | None) -> Skill:
    """A version number means one text for ever, also after a roll-back."""
    version = max(old.version, old.latest) + 1 if old else 1
    return replace(new, version=version, latest=version)


def edited(library: Library, key: SkillKey, new: Skill) -> Skill:
    """The next version of an existing skill, its status and pin kept."""
    old = library.get(key)
    if old.status is SkillStatus.ARCHIVED:
        raise Conflict(f"'{key.name}' was deleted.", hint="Add it again, or roll back.")
    if old.sha256 == new.sha256:
        raise Conflict(f"'{key.name}' already reads exactly so.", hint="Nothing was changed.")
    return replace(_next_version(new, old), status=old.status, pinned=old.pinned)


def rewritten(old: Skill | None, new: Skill) -> Skill:
    """What a person wrote into the working copy: the next version, or a skill that is back."""
    if old is None or old.status is SkillStatus.ARCHIVED:
        return _next_version(replace(new, status=SkillStatus.ACTIVE, pinned=False), old)
    return replace(_next_version(new, old), status=old.status, pinned=old.pinned)


def switched(library: Library, key: SkillKey, change: ChangeKind) -> Skill:
    """The same text pinned, unpinned, disabled, enabled or deleted."""
    old = library.get(key)
    match change:
        case ChangeKind.PIN | ChangeKind.UNPIN:
            new = replace(old, pinned=change is ChangeKind.PIN)
        case ChangeKind.DISABLE:
            new = replace(old, status=SkillStatus.DISABLED)
        case ChangeKind.ENABLE:
            new = replace(old, status=SkillStatus.ACTIVE)
        case ChangeKind.DELETE:
            new = replace(old, status=SkillStatus.ARCHIVED, pinned=False)
        case _:
            raise ValueError(change)
    if old.status is SkillStatus.ARCHIVED:
        raise Conflict(f"'{key.name}' was deleted.", hint="Add it again, or roll back.")
    if new == old:
        state = {ChangeKind.PIN: "pinned", ChangeKind.UNPIN: "not pinned"}.get(change, old.status)
        raise Conflict(f"'{key.name}' is already {state}.", hint="Nothing was changed.")
    return new


def rolled_back(now: Library, then: Library) -> list[Skill]:
    """What must change so that the library reads as it did; skills made since are archived."""
    changes = []
    for key, skill in now.skills.items():
        before = then.skills.get(key)
        if before is None:
            before = replace(skill, status=SkillStatus.ARCHIVED, pinned=False)
        if before != skill:
            changes.append(before)
    return changes


def check_name(name: str) -> str:
    """The name, if the Agent Skills format allows it."""
    if len(name) > NAME_LIMIT or not _NAME.fullmatch(name):
        raise SkillError(
            f"The name {name[:80]!r} is not allowed.",
            hint="Use 1 to 64 of a-z, 0-9 and single hyphens between them, such as menu-style.",
        )
    return name


def check_client(client: str) -> str:
    if client and (not _CLIENT.fullmatch(client) or client.lower() == RESERVED_CLIENT):
        raise SkillError(
            f"The client name {client[:80]!r} is not allowed.",
            hint="Use letters, digits, dots, hyphens and underscores, at most 64;"
            f" '{RESERVED_CLIENT}' is taken.",
        )
    return client


def check_text(text: SkillText) -> SkillText:
    """The text as it is kept, if the format and the bounds allow it."""
    check_name(text.name)
    description = _plain(text.description)
    text = replace(text, description=description, body=_plain(text.body))
    if not description:
        raise SkillError(
            f"'{text.name}' has no description.",
            hint="Say in one sentence when the skill applies.",
        )
    if len(description) > DESCRIPTION_LIMIT:
        raise SkillError(
            f"The description of '{text.name}' has {len(description)} characters.",
            hint=f"At most {DESCRIPTION_LIMIT} are allowed.",
        )
    if not text.body:
        raise SkillError(
            f"'{text.name}' has no body.", hint="Say in the body what the model should do."
        )
    if len(text.body) > BODY_LIMIT:
        raise SkillError(
            f"The body of '{text.name}' has {len(text.body)} characters.",
            hint=f"At most {BODY_LIMIT} are allowed; 150 words are plenty for most skills.",
        )
    bad = _control_character(text.description + text.body)
    if bad:
        raise SkillError(
            f"'{text.name}' holds the control character U+{ord(bad):04X}.",
            hint="Write the text again without it.",
        )
    return text


def _plain(text: str) -> str:
    """One kind of line end, nothing around: so that what is written is read back the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _control_character(text: str) -> str:
    return next((c for c in text if _controls(ord(c))), "")


def _controls(code: int) -> bool:
    """C0 and C1 but line ends and tabs; half of a surrogate pair, which no file can hold."""
    return (code < 32 and code not in (9, 10)) or 127 <= code < 160 or 0xD800 <= code < 0xE000


def distinct_names(skills: Sequence[SkillText]) -> None:
    """Refuse a set in which one name stands twice."""
    seen: set[str] = set()
    for skill in skills:
        if skill.name in seen:
            raise SkillError(f"'{skill.name}' stands twice in the folder.", hint="Rename one.")
        seen.add(skill.name)
