"""The `lull skills` changes as JSON, for the control API and for the command line without a
service: one reading of the words, one story behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lull.core.errors import UsageError
from lull.core.skill import ChangeKind, SkillKey, check_client
from lull.loops.approve import Approve, Changed
from lull.service.views import skill_view
from lull.store.skills import Skills

Json = dict[str, Any]

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


class SkillChanges:
    def __init__(self, approve: Approve, skills: Skills) -> None:
        self._approve = approve
        self._skills = skills

    async def apply(self, wanted: Mapping[str, Any]) -> Json:
        """`{"do": "add" | "edit" | …, …}` → `{"generation", "skill", "skills"}`."""
        action = str(wanted.get("do", ""))
        client = check_client(_text(wanted, "client") or "")
        if action == "rollback":
            generation = wanted.get("generation")
            if generation is not None and type(generation) is not int:
                raise UsageError("generation is not a number.")
            return self._view(await self._approve.roll_back(generation))
        if action == "import":
            folder = Path(_needed(wanted, "folder"))
            brought = await self._approve.bring_in(folder, client=client)
            return {**self._view(brought), "unchanged": list(brought.unchanged)}
        if action == "export":
            names = wanted.get("names") or []
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise UsageError("names is not a list of texts.")
            folder = Path(_needed(wanted, "folder"))
            written = await self._approve.take_out(folder, names=names, client=client)
            nothing = self._view(Changed(generation=self._generation(), skills=()))
            return {**nothing, "folders": [str(path) for path in written]}
        return self._view(
            await self._one(action, SkillKey(client, _needed(wanted, "name")), wanted)
        )

    async def _one(self, action: str, key: SkillKey, wanted: Mapping[str, Any]) -> Changed:
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
            return await self._approve.copy(key, to=_text(wanted, "to") or "")
        if action in _SWITCHES:
            return await self._approve.switch(key, _SWITCHES[action])
        raise UsageError(f"{action[:40]!r} is not a change of skills.")

    async def _edit(self, key: SkillKey, wanted: Mapping[str, Any]) -> Changed:
        description, body = _text(wanted, "description"), _text(wanted, "body")
        pin = wanted.get("pin") is True
        if description is None and body is None and not pin:
            raise UsageError("Nothing to edit.", hint="Give --description, --body or --pin.")
        changed: Changed | None = None
        if description is not None or body is not None:
            changed = await self._approve.edit(key, description=description, body=body)
        if pin and (changed is None or not all(skill.pinned for skill in changed.skills)):
            return await self._approve.switch(key, ChangeKind.PIN)
        assert changed is not None, "it was pinned, or its text was changed"
        return changed

    def _generation(self) -> int:
        return self._skills.library().generation

    def _view(self, changed: Changed) -> Json:
        uses = self._skills.uses()
        views = [skill_view(skill, uses) for skill in changed.skills]
        return {
            "generation": changed.generation,
            "skill": views[0] if views else None,
            "skills": views,
        }


def _needed(wanted: Mapping[str, Any], name: str) -> str:
    text = _text(wanted, name)
    if not text:
        raise UsageError(f"{name} is missing.")
    return text


def _text(wanted: Mapping[str, Any], name: str) -> str | None:
    value = wanted.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is not text.")
    if value is not None and any("\ud800" <= c <= "\udfff" or c == "\0" for c in value):
        raise UsageError(f"{name} holds characters that no file can hold.")
    return value
