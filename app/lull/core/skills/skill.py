"""Skills (instruction texts), their versions, and the skill library, an immutable value. Each
change makes a new numbered version of the whole library, called a generation.

A skill belongs to everybody (client "") or to one client identity. Changes are values; applying
them to a library gives the next library or an error, never half a change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from lull.core.errors import Conflict, NotFound, SkillError
from lull.core.feedback.feedback import Scope

EVERYBODY = ""
SCOPE = "scope"
"""The metadata key under which a skill stores its scope."""
NAME_LIMIT = 64
DESCRIPTION_LIMIT = 1024
BODY_LIMIT = 16_384
"""Most characters of a skill's body, as a guard against mistakes; the cost in prompts is limited by
the token budget.
"""

RESERVED_CLIENT = "everybody"
"""Name of the folder with everybody's skills, which no client may have as its name."""

SKILL_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""What the Agent Skills format allows as the name of a skill."""
_CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class SkillStatus(StrEnum):
    """Whether a skill (an instruction text) is in use."""

    ACTIVE = "active"
    DISABLED = "disabled"
    ARCHIVED = "archived"
    """Deleted by the user; the text stays for history and rollback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """The contents of a skill's file SKILL.md: name, description, body and metadata."""

    name: str
    description: str
    """Description of when the skill applies; used by retrieval."""
    body: str
    """The text put into the prompt."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    """YAML of front-matter keys that the format allows and Lull does not use, kept verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill (an instruction text) with its state in one numbered version (generation) of the
    library.
    """

    client: str
    name: str
    version: int
    """The skill's version number; 1 for the first text under its name and client."""
    sha256: str
    """sha256 of the exact bytes of the skill's SKILL.md."""
    description: str
    body: str
    status: SkillStatus = SkillStatus.ACTIVE
    pinned: bool = False
    scope: Scope = Scope.KIND
    """Which requests the skill is for: all, or one kind. A skill for all requests is in every
    prompt as far as there is room. Stored in the text's metadata (`SCOPE`).
    """
    since: int = field(default=0, compare=False)
    """Number of the generation in which the skill got its current state."""
    latest: int = field(default=0, compare=False)
    """The highest version number this skill ever had. After a rollback it is higher than `version`,
    and the next text gets the number after it.
    """

    @property
    def key(self) -> SkillKey:
        """The client and the name, which together identify the skill."""
        return SkillKey(self.client, self.name)


def scope_of(text: SkillText) -> Scope:
    """Return which requests a skill is for, according to its metadata: ALL for every request,
    otherwise KIND for requests like those that the skill was learned from.
    """
    return Scope.ALL if text.metadata.get(SCOPE) == Scope.ALL else Scope.KIND


class SkillKey(NamedTuple):
    """Identifies a skill by its name and the client program that it belongs to; client "" means all
    clients. A tuple, because very many are hashed while a request waits.
    """

    client: str
    name: str


class ChangeKind(StrEnum):
    """The kinds of changes in the history of skills."""

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
    """The record of one generation (numbered version) of the skill library, which a change made:
    its number, its time and that change.
    """

    number: int
    at: datetime
    change: ChangeKind
    detail: str
    """Description of the change, such as `add menu-style`."""


@dataclass(frozen=True, slots=True)
class ClientSkills:
    """The active skills that may be used in one client program's prompts."""

    skills: Mapping[SkillKey, Skill]
    pinned: tuple[Skill, ...]
    general: tuple[Skill, ...] = ()
    """The client's unpinned skills for every request; together they form the preference sheet, a
    list of rules in each of its prompts.
    """


NOTHING_THERE = ClientSkills(skills={}, pinned=())


@dataclass(frozen=True)
class Library:
    """One generation (numbered version) of the skill library, which the MetaClaw paper calls S:
    every skill that ever existed, in the state that it has in this generation.
    """

    generation: int
    skills: Mapping[SkillKey, Skill]
    _by_client: dict[str, ClientSkills] = field(default_factory=dict, compare=False, repr=False)
    """Cache per client with skills of its own, so that a request does not scan ten thousand
    skills."""

    @cached_property
    def clients(self) -> frozenset[str]:
        """The client programs that have skills of their own."""
        return frozenset(key.client for key in self.skills if key.client != EVERYBODY)

    @property
    def any_active(self) -> bool:
        """Whether any skill is active, for everybody or for one client."""
        return any(skill.status is SkillStatus.ACTIVE for skill in self.skills.values())

    def active_of(self, client: str) -> list[Skill]:
        """Return the active skills of one client program ("" for those that all share), by name."""
        return [
            skill
            for key, skill in sorted(self.skills.items())
            if key.client == client and skill.status is SkillStatus.ACTIVE
        ]

    def skills_for(self, client: str, *, isolated: bool) -> ClientSkills:
        """Return all active skills that may be used for requests of this client program.

        A client that the user isolated from the others (`isolated`) sees only its own skills; every
        other client sees only those for everybody, whatever name it gives itself.
        """
        if not isolated:
            return self._skills_for(EVERYBODY)
        return self._skills_for(client) if client in self.clients else NOTHING_THERE

    def _skills_for(self, client: str) -> ClientSkills:
        if client not in self._by_client:
            chosen = self.active_for(client)
            self._by_client[client] = ClientSkills(
                skills={skill.key: skill for skill in chosen},
                pinned=tuple(skill for skill in chosen if skill.pinned),
                general=tuple(s for s in chosen if s.scope is Scope.ALL and not s.pinned),
            )
        return self._by_client[client]

    def active_for(self, client: str) -> list[Skill]:
        """Return the active skills that belong to a client program, sorted by name; for "" those
        that belong to everybody.
        """
        # A skill whose version file is lost has no body.
        found = [
            skill
            for key, skill in self.skills.items()
            if key.client == client and skill.status is SkillStatus.ACTIVE and skill.body
        ]
        return sorted(found, key=lambda skill: skill.name)

    def after(self, changed: Sequence[Skill]) -> Library:
        """Return the skill library's next generation (numbered version), in which the skills in
        `changed` are new or replaced.
        """
        number = self.generation + 1
        new = {
            one.key: replace(one, since=number, latest=max(one.latest, one.version))
            for one in changed
        }
        return Library(generation=number, skills={**self.skills, **new})

    def get(self, key: SkillKey) -> Skill:
        """Return the skill with this key. Raises NotFound."""
        skill = self.skills.get(key)
        if skill is None:
            whose = f" of the chat app {key.client}" if key.client else ""
            raise NotFound(
                f"There is no skill '{key.name}'{whose}.",
                hint="`lull skills list --all` shows every skill.",
            )
        return skill


def added(library: Library, new: Skill) -> Skill:
    """Return a new skill with the version number that it gets in the library's next generation
    (numbered version). The name of a deleted skill may be reused; raises Conflict if the name is
    taken.
    """
    old = library.skills.get(new.key)
    if old is not None and old.status is not SkillStatus.ARCHIVED:
        raise Conflict(
            f"There is already a skill '{new.name}'.",
            hint=f"Change it with `lull skills edit {new.name}`.",
        )
    return _next_version(new, old)


def _next_version(new: Skill, old: Skill | None) -> Skill:
    """The new skill with the next version number, which is never reused, even after a rollback."""
    version = max(old.version, old.latest) + 1 if old else 1
    return replace(new, version=version, latest=version)


def edited(library: Library, key: SkillKey, new: Skill) -> Skill:
    """Return the next version of an existing skill, with the new text. Whether it is active or
    pinned (always in the prompt) stays. Raises Conflict if the skill was deleted or the text is the
    same.
    """
    old = library.get(key)
    if old.status is SkillStatus.ARCHIVED:
        raise Conflict(
            f"'{key.name}' was deleted.", hint="Add it again, or go back to an earlier generation."
        )
    if old.sha256 == new.sha256:
        raise Conflict(f"'{key.name}' already has exactly this text.", hint="Nothing was changed.")
    return replace(_next_version(new, old), status=old.status, pinned=old.pinned)


def rewritten(old: Skill | None, new: Skill) -> Skill:
    """Return the next version of a skill whose file was edited by hand. A skill that is new or was
    deleted becomes active and unpinned; otherwise its status and whether it is pinned (always in
    the prompt) stay.
    """
    if old is None or old.status is SkillStatus.ARCHIVED:
        return _next_version(replace(new, status=SkillStatus.ACTIVE, pinned=False), old)
    return replace(_next_version(new, old), status=old.status, pinned=old.pinned)


def switched(library: Library, key: SkillKey, change: ChangeKind) -> Skill:
    """Return the skill with the same text but another state, as `change` says: pinned, unpinned,
    disabled, enabled or deleted. Raises Conflict if it is in that state already or was deleted.
    """
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
        raise Conflict(
            f"'{key.name}' was deleted.", hint="Add it again, or go back to an earlier generation."
        )
    if new == old:
        state = {ChangeKind.PIN: "pinned", ChangeKind.UNPIN: "not pinned"}.get(change, old.status)
        raise Conflict(f"'{key.name}' is already {state}.", hint="Nothing was changed.")
    return new


def rolled_back(now: Library, then: Library) -> list[Skill]:
    """Return the skills as they must be changed to restore an earlier state (`then`) of the skill
    library. Skills that were made after it are archived.
    """
    changes = []
    for key, skill in now.skills.items():
        before = then.skills.get(key)
        if before is None:
            before = replace(skill, status=SkillStatus.ARCHIVED, pinned=False)
        if before != skill:
            changes.append(before)
    return changes


def check_name(name: str) -> str:
    """Return the skill's name unchanged. Raises SkillError if the Agent Skills format does not
    allow it.
    """
    if len(name) > NAME_LIMIT or not SKILL_NAME.fullmatch(name):
        raise SkillError(
            f"The name {name[:80]!r} is not allowed.",
            hint="Use 1 to 64 of a-z, 0-9 and single hyphens between them, such as menu-style.",
        )
    return name


def check_client(client: str) -> str:
    """Return a client's name if it is allowed. Raises SkillError if not."""
    if client and (not _CLIENT.fullmatch(client) or client.lower() == RESERVED_CLIENT):
        raise SkillError(
            f"The client name {client[:80]!r} is not allowed.",
            hint="Use letters, digits, dots, hyphens and underscores, at most 64;"
            f" '{RESERVED_CLIENT}' is taken.",
        )
    return client


def check_text(text: SkillText) -> SkillText:
    """Return the skill's text in the form in which it is stored. Raises SkillError if it breaks the
    Agent Skills format or a limit.
    """
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
    """Uniform line ends and no surrounding white space, so that writing and reading give the same
    text."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _control_character(text: str) -> str:
    return next((c for c in text if _controls(ord(c))), "")


def _controls(code: int) -> bool:
    """C0 and C1 control codes except line ends and tabs, and surrogates, which no file can
    contain."""
    return (code < 32 and code not in (9, 10)) or 127 <= code < 160 or 0xD800 <= code < 0xE000


def check_distinct_names(skills: Sequence[SkillText]) -> None:
    """Raise SkillError if two skills have the same name."""
    seen: set[str] = set()
    for skill in skills:
        if skill.name in seen:
            raise SkillError(f"'{skill.name}' appears twice in the folder.", hint="Rename one.")
        seen.add(skill.name)
