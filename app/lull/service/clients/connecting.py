"""Answers the desktop window's requests to connect chat clients (other programs) to Lull: list,
preview the change of a settings file, write it, test, undo.

A request to write carries the digest of the previewed file, so that only what the user saw is
written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.clients.client import ApiProtocol, ChatProgram, UserMachine, client_named, clients_of
from lull.core.clients.connection import ConnectionState, sha256_of
from lull.core.clients.target import ConnectTarget
from lull.core.errors import ClientFileError, Conflict, UsageError
from lull.core.models.most_used_model import COUNTED_PERIOD, CountsAnswers, most_used
from lull.core.ports import Clock
from lull.loops.clients.connect import ClientConnecting, ConnectPlan
from lull.loops.clients.overview import ClientOverview
from lull.service.answers.answering import ReportsStatus
from lull.store.clients.connections import Connections


class ConnectingLock(Protocol):
    """Interface to the lock that a process holds while it writes the settings files of chat
    clients.
    """

    def hold(self) -> AbstractContextManager[None]:
        """Context manager that holds the lock. Raises Conflict if another process holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectParts:
    """The objects by which chat clients (other programs) are connected to Lull: access to their
    settings files, a lock for writing these, and a function that sends a test request.
    """

    user: UserMachine
    connections: Connections
    connecting: ClientConnecting
    overview: ClientOverview
    lock: ConnectingLock
    try_out: Callable[[str, ApiProtocol, str, str], Json]
    """Function that sends a real chat request as a client would. Its arguments: Lull's address, the
    API protocol, the client's name and the model.
    """
    own_model: str
    """Name of the built-in model, which only Lull has."""
    clock: Clock


class ConnectRequests:
    """Answers the control API's requests about connecting chat clients (other programs) to Lull."""

    def __init__(self, parts: ConnectParts, service: ReportsStatus, uses: CountsAnswers) -> None:
        """The status of `service` holds its address and the model that it served last."""
        self._parts = parts
        self._service = service
        self._uses = uses

    async def all(self) -> Json:
        """List the known chat clients: which are installed, and which are connected to Lull; also
        return the model that the user talks to most.
        """
        here = await self._service.status()
        used = await self._most_used(here)
        listed = await asyncio.to_thread(self._listed, self._target(here, used))
        return {**listed, "most_used": used}

    async def plan(self, name: str, body: Json) -> Json:
        """Return the change of a chat client's settings file that would connect it to Lull; nothing
        is written.
        """
        plan = await self._planned(name, body)
        return {
            "name": name,
            "file": str(plan.file.path),
            "existed": plan.file.data is not None,
            "diff": plan.diff,
            "changes": plan.changes,
            "sha256": sha256_of(plan.text.encode()),
            "note": plan.client.note,
            "model": plan.target.model,
        }

    async def connect(self, name: str, body: Json) -> Json:
        """Write the previewed change of a chat client's settings file, which connects it to Lull.

        Raises Conflict if the change would be different now.
        """
        plan = await self._planned(name, body)
        if body.get("sha256") != sha256_of(plan.text.encode()):
            raise Conflict(
                f"{plan.file.path} was changed since you saw what would be written.",
                hint="Look at the change again.",
            )
        await asyncio.to_thread(self._write, plan)
        return {"name": name, "file": str(plan.file.path), "written": True}

    async def test(self, name: str, body: Json) -> Json:
        """Send a real chat request as a connected client would, and return how it went."""
        client, here = self._client(name), await self._service.status()
        wanted, used = str(body.get("model") or ""), await self._most_used(here)
        target = self._target(here, used)
        tried = await asyncio.to_thread(self._try, client, target, wanted, used)
        return {"name": name, "test": tried}

    async def undo(self, name: str, body: Json) -> Json:
        """Restore the settings files that a chat client had before it was connected to Lull. If the
        request has `"look": true`, restore nothing and only return what was changed in these files
        since then.
        """
        client = self._client(name)
        looks, forced = body.get("look") is True, body.get("force") is True
        changes = await asyncio.to_thread(self._undone, client, looks=looks, forced=forced)
        return {"name": name, "undone": not looks, "changes": changes}

    def _client(self, name: str) -> ChatProgram:
        return client_named(name, self._parts.user)

    async def _most_used(self, here: Json) -> str:
        """The model that the user talks to most; if they only talk to the built-in one, or to none
        yet, the one that was served last.
        """
        since = self._parts.clock.now() - COUNTED_PERIOD
        uses = await asyncio.to_thread(self._uses.answer_counts, since)
        return most_used(uses, (self._parts.own_model,)) or str(here["policy"]["model"] or "")

    def _target(self, here: Json, used: str, *, wanted: str = "") -> ConnectTarget:
        model = wanted or ("" if used == self._parts.own_model else used)
        return ConnectTarget(address=str(here["address"]).rstrip("/"), model=model)

    def _listed(self, target: ConnectTarget) -> Json:
        views = []
        for client in clients_of(self._parts.user):
            known = self._parts.connections.of(client.name)
            view = self._parts.overview.view(client, target)
            views.append({**view, "note": client.note, "known": known is not None})
        return {"address": target.address, "clients": views}

    async def _planned(self, name: str, body: Json) -> ConnectPlan:
        client, here = self._client(name), await self._service.status()
        if here.get("needs_token"):
            raise UsageError(
                "Other machines can reach this Lull, so it asks every client for a token, which is"
                " not written into files of other programs.",
                hint="Put it into the client's field for an API key.",
            )
        wanted = str(body.get("model") or "")
        target = self._target(here, await self._most_used(here), wanted=wanted)
        if client.needs_model and not target.model:
            raise UsageError(
                f"You have to choose which of your models {client.title} asks.",
                hint="First choose, in Settings, which model learns.",
            )
        return await asyncio.to_thread(self._parts.connecting.plan, client, target)

    def _write(self, plan: ConnectPlan) -> None:
        with self._parts.lock.hold():
            self._parts.connecting.write(plan, at=self._parts.clock.now().astimezone().isoformat())

    def _try(self, client: ChatProgram, target: ConnectTarget, wanted: str, used: str) -> Json:
        parts = self._parts
        standing = parts.connecting.connection_state(client, target)
        if client.edit is not None and standing is not ConnectionState.CONNECTED:
            raise UsageError(f"{client.title} is not connected.", hint="Connect it first.")
        asked = parts.connecting.model_to_ask(
            client, target, wanted=wanted, used=used or parts.own_model
        )
        tried = parts.try_out(target.address, client.speech, client.name, asked.name)
        return {**tried, "from_client": asked.from_client}

    def _undone(self, client: ChatProgram, *, looks: bool, forced: bool) -> list[Json]:
        with self._parts.lock.hold():
            plans = self._parts.connecting.undo_plans(client)
            views = [
                {
                    "file": plan.connection.path,
                    "changed_since": plan.changed,
                    "clash": plan.clash,
                    "diff": plan.diff,
                }
                for plan in plans
            ]
            if looks:
                return views
            changed = [plan for plan in plans if plan.changed]
            if changed and not forced:
                raise ClientFileError(
                    f"{changed[0].connection.path} was changed since Lull wrote it.",
                    hint="Look at what was changed; you can still undo it.",
                )
            for plan in plans:
                self._parts.connecting.undo(plan)
        return views
