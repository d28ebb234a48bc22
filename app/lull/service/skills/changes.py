"""Carries out the user's changes to skills (instruction texts), such as add, edit, pin or roll
back, for `lull skills` with or without a running service.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lull.contract.json_object import Json
from lull.core.errors import SkillError, UsageError
from lull.core.proof.proposal import Proposal
from lull.core.provenance.screening import screen_typed
from lull.core.skills.skill import ChangeKind, Skill, SkillKey, check_client
from lull.loops.skills.approve import Approve, SkillChange
from lull.loops.skills.from_files import FromFiles, shipped
from lull.loops.skills.propose import flags_of
from lull.resources import starter_skills_dir
from lull.service.answers.answering import text_of
from lull.service.skills.views import skill_view
from lull.store.skills.skills import Skills

_SWITCHES = {
    kind.value: kind
    for kind in (
        ChangeKind.PIN,
        ChangeKind.UNPIN,
        ChangeKind.DISABLE,
        ChangeKind.ENABLE,
        ChangeKind.DELETE,
    )
}


_TYPED = ("add", "edit")
"""Kinds of changes whose text the user typed; the result of such a change carries screening flags.
"""


class SkillChangeRequests:
    """Parses and applies the user's requests to change skills (instruction texts)."""

    def __init__(self, approve: Approve, files: FromFiles, skills: Skills) -> None:
        self._approve = approve
        self._files = files
        self._skills = skills

    async def propose_file_edits(self) -> list[SkillError]:
        """Turn the user's hand edits of skill files into proposals, which wait for approval; return
        an error for each unreadable file.
        """
        return await self._approve.propose_file_edits()

    async def apply(self, wanted: Mapping[str, Any]) -> Json:
        """Apply one change of skills (instruction texts): `{"do": "add" | "edit" | …, …}` →
        `{"generation", "skill", "skills"}`.

        In the result, `generation` is the number of the skill library's new state, `skills` are the
        changed skills and `skill` is the first of them. Raises LullError.
        """
        action = str(wanted.get("do", ""))
        client = check_client(text_of(wanted, "client") or "")
        if action == "rollback":
            generation = wanted.get("generation")
            if generation is not None and type(generation) is not int:
                raise UsageError("“generation” is not a number.")
            return self._view(await self._approve.roll_back(generation))
        if action == "import":
            return await self._import(Path(_needed(wanted, "folder")), client)
        if action == "export":
            names = wanted.get("names") or []
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise UsageError("“names” is not a list of texts.")
            folder = Path(_needed(wanted, "folder"))
            written = await self._approve.export_skills(folder, names=names, client=client)
            nothing = self._view(SkillChange(generation=self._generation(), skills=()))
            return {**nothing, "folders": [str(path) for path in written]}
        key = SkillKey(client, _needed(wanted, "name"))
        done = self._view(await self._one(action, key, wanted))
        return {**done, "flags": self._flags(key)} if action in _TYPED else done

    async def _import(self, folder: Path, client: str) -> Json:
        """Import skills: Lull's own take effect at once, others become proposals."""
        ours = shipped(folder, starter_skills_dir())
        if ours is not None:
            changed = await self._approve.bring_in_shipped(ours, client=client)
            taken = {skill.name for skill in changed.skills}
            same = [text.name for text in ours if text.name not in taken]
            return {**self._view(changed), "unchanged": same, "proposals": []}
        await self.propose_file_edits()
        brought = await self._files.bring_in(folder, client=client)
        return {
            **self._view(SkillChange(generation=self._generation(), skills=())),
            "unchanged": list(brought.unchanged),
            "proposals": [_waiting(proposal) for proposal in brought.proposals],
        }

    def _flags(self, key: SkillKey) -> list[dict[str, str]]:
        """Screening flags on a text the user typed; it takes effect regardless."""
        skill: Skill = self._skills.library().get(key)
        return list(flags_of(screen_typed(self._skills.folders.text(skill.sha256, key))))

    async def _one(self, action: str, key: SkillKey, wanted: Mapping[str, Any]) -> SkillChange:
        if action == "add":
            return await self._approve.add(
                key.name,
                description=_needed(wanted, "description"),
                body=_needed(wanted, "body"),
                client=key.client,
                pinned=wanted.get("pin") is True,
            )
        if action == "edit":
            return await self._edit(key, wanted)
        if action == "copy":
            return await self._approve.copy(key, to=text_of(wanted, "to") or "")
        if action in _SWITCHES:
            return await self._approve.switch(key, _SWITCHES[action])
        raise UsageError(f"{action[:40]!r} is not a change of skills.")

    async def _edit(self, key: SkillKey, wanted: Mapping[str, Any]) -> SkillChange:
        description, body = text_of(wanted, "description"), text_of(wanted, "body")
        pin = wanted.get("pin") is True
        if description is None and body is None and not pin:
            raise UsageError("Nothing to edit.", hint="Give --description, --body or --pin.")
        changed: SkillChange | None = None
        if description is not None or body is not None:
            changed = await self._approve.edit(key, description=description, body=body)
        if pin and (changed is None or not all(skill.pinned for skill in changed.skills)):
            return await self._approve.switch(key, ChangeKind.PIN)
        assert changed is not None, "it was pinned, or its text was changed"
        return changed

    def _generation(self) -> int:
        return self._skills.library().generation

    def _view(self, changed: SkillChange) -> Json:
        uses = self._skills.uses()
        views = [skill_view(skill, uses) for skill in changed.skills]
        return {
            "generation": changed.generation,
            "skill": views[0] if views else None,
            "skills": views,
        }


def _waiting(proposal: Proposal) -> Json:
    return {
        "id": proposal.id,
        "kind": proposal.kind.value,
        "name": proposal.key.name,
        "status": proposal.status.value,
        "sha256": proposal.sha256,
        "flags": [dict(flag) for flag in proposal.flags],
    }


def _needed(wanted: Mapping[str, Any], name: str) -> str:
    text = text_of(wanted, name)
    if not text:
        raise UsageError(f"{name} is missing.")
    return text
