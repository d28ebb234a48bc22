"""Edits a chat client's configuration file so that the client talks to Lull's proxy, tells whether
it still does, and restores the file.

Each edit starts from the file as it was before Lull first touched it, so that undoing always leads
back to what the user had, however often Lull's address changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lull.core.clients.client import ChatProgram, UserMachine
from lull.core.clients.connection import Connection, ConnectionState, sha256_of
from lull.core.clients.target import ConnectTarget
from lull.core.clients.tree import Reader
from lull.core.clients.undoing import difference, undo_change
from lull.core.errors import ClientFileError, Conflict, NotFound, UsageError
from lull.store.clients.client_files import (
    ClientFile,
    check_same,
    missing_folders,
    read_client_file,
    remove_client_file,
    replace_client_file,
)
from lull.store.clients.connections import Connections
from lull.store.disk.on_disk import is_there


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectPlan:
    """The planned edit of a chat client's configuration file that points it at Lull."""

    client: ChatProgram
    target: ConnectTarget
    file: ClientFile
    text: str
    """The file's new text."""
    before: bytes | None
    """The file's content that undoing restores; None where there was no file."""
    known: Connection | None
    """The record of an earlier connection that this one continues."""

    @property
    def changes(self) -> bool:
        """Whether the edit would change the file at all."""
        return self.text.encode() != (self.file.data or b"")

    @property
    def diff(self) -> str:
        """The planned change of the client's configuration file as a unified diff."""
        name = str(self.file.path)
        return difference(self.file.text, self.text, name, first="now", second="with Lull")


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """How to undo Lull's edit of a chat client's configuration file. Later changes by others are
    kept; undoing is refused if they touch Lull's lines.
    """

    connection: Connection
    file: ClientFile
    text: str | None
    """The file's text after undoing, with the changes that others made since Lull wrote it.

    None where there are none, so that the file becomes what it was before Lull.
    """
    clash: bool
    """Whether later changes touch the lines that Lull wrote, so that undoing is refused."""
    diff: str
    """What others changed in the chat app's settings file since Lull wrote it, as a diff."""
    done: bool
    """Whether the file is already as it was before Lull wrote it."""

    @property
    def changed(self) -> bool:
        """Whether the client's file was changed since Lull wrote it; a change of line endings alone
        counts too.
        """
        return self.clash or self.text is not None

    @property
    def only_line_ends(self) -> bool:
        """Whether undoing changes nothing but how the file's lines end."""
        return self.changed and not self.diff


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """The model that a test request asks, and whether the client's own configuration names it."""

    name: str
    from_client: bool


class ClientConnecting:
    """Carries out `lull connect`: plans, writes and undoes Lull's edits of one user's chat-client
    configuration files.
    """

    def __init__(self, connections: Connections, user: UserMachine, yaml: Reader) -> None:
        self._connections = connections
        self._user = user
        self._yaml = yaml

    def place(self, client: ChatProgram, named: Path | None = None) -> Path | None:
        """Return the client's configuration file that would be changed: the file `named` by the
        user, else one that Lull has connected already, else the usual one. None if there is none.
        """
        if named is not None:
            return named
        known = self._connections.of(client.name)
        if known is not None:
            return Path(known.path)
        places = [Path(one) for one in client.places(self._user)]
        there = filter(is_there, places)
        return next(there, places[0] if places else None)

    def plan(
        self, client: ChatProgram, target: ConnectTarget, named: Path | None = None
    ) -> ConnectPlan:
        """Plan the edit that points a client's configuration file at Lull; nothing is written.

        Raises ClientFileError, also where the lines that Lull wrote were changed since, and
        UsageError where this client has no file that Lull can edit.
        """
        path = self.place(client, named)
        if client.edit is None or path is None:
            raise UsageError(
                f"{client.title} cannot be connected from here.",
                hint=client.by_hand.format(address=target.address),
            )
        file = read_client_file(path)
        known = self._connections.of(client.name, path)
        before, text = file.data, file.text
        if known is not None:
            target = replace(target, model=target.model or known.model, earlier=(known.address,))
            before = self._without_lull(file, known)
            text = (before or b"").decode()
        if client.needs_model and not target.model:
            raise UsageError(
                f"You have to choose which of your models {client.title} asks.",
                hint="Choose a model; in the terminal: "
                f"`lull connect {client.name} --model MODEL`.",
            )
        edited = self._edited(client, path, text, target)
        return ConnectPlan(
            client=client, target=target, file=file, text=edited, before=before, known=known
        )

    def write(self, plan: ConnectPlan, *, at: str) -> Connection:
        """Write the client's configuration file as planned, after backing it up. The caller holds
        the lock that keeps other processes of Lull from editing clients' files.

        Raises ClientFileError, and Conflict where the file or its record changed since the plan.
        """
        path, known = plan.file.path, plan.known
        check_same(plan.file)
        if self._connections.of(plan.client.name, path) != known:
            raise Conflict(
                f"{path} was connected or put back by another `lull connect` at this moment.",
                hint="Nothing was done; try again.",
            )
        before, after = plan.before or b"", plan.text.encode()
        connection = Connection(
            client=plan.client.name,
            path=str(path),
            existed=plan.before is not None,
            before_sha256=sha256_of(before),
            after_sha256=sha256_of(after),
            address=plan.target.address,
            model=plan.target.model,
            at=at,
            made_folders=(*missing_folders(path), *(known.made_folders if known else ())),
        )
        with self._connections.storing(connection, before, after):
            replace_client_file(plan.file, after)
        return connection

    def connection_state(
        self, client: ChatProgram, target: ConnectTarget, named: Path | None = None
    ) -> ConnectionState:
        """Return the state of a chat client's connection: its configuration file points at Lull,
        does not, was changed since Lull wrote it, or cannot be read.
        """
        path = self.place(client, named)
        if client.edit is None or path is None:
            return ConnectionState.NOT_CONNECTED
        known = self._connections.of(client.name, path)
        try:
            file = read_client_file(path)
            text = file.text
            # Without a model: which one the user chose since is their own matter.
            same = self._edited(client, path, text, replace(target, model="")) == text
        except ClientFileError:
            return ConnectionState.UNREADABLE
        if file.data is not None and same:
            return ConnectionState.CONNECTED
        return ConnectionState.NOT_CONNECTED if known is None else ConnectionState.DRIFTED

    def model_to_ask(
        self, client: ChatProgram, target: ConnectTarget, *, wanted: str, used: str
    ) -> AskedModel:
        """Return the model that a test request of a client asks: the one `wanted` by the user, else
        the one that the client's configuration file names, else the one most `used`.
        """
        named = "" if wanted else self._named_model(client, target)
        return AskedModel(name=wanted or named or used, from_client=bool(named))

    def _named_model(self, client: ChatProgram, target: ConnectTarget) -> str:
        path = self.place(client)
        if client.named_model is None or path is None:
            return ""
        try:
            return client.named_model(read_client_file(path).text, target, self._yaml)
        except ClientFileError:
            return ""

    def undo_plans(self, client: ChatProgram, named: Path | None = None) -> Sequence[UndoPlan]:
        """Plan how Lull's edits of a client's files would be undone, one plan for each file.

        Raises NotFound where Lull wrote nothing.
        """
        found = [
            one
            for one in self._connections.all()
            if one.client == client.name and (named is None or one.path == str(named))
        ]
        if not found:
            raise NotFound(
                f"Lull has written nothing for {client.title}.",
                hint="`lull connect` lists what is connected.",
            )
        return [self._undo_plan(one) for one in found]

    def undo(self, plan: UndoPlan) -> None:
        """Restore a client's configuration file and delete the record of the connection.

        Raises ClientFileError and Conflict.
        """
        connection = plan.connection
        if plan.clash:
            raise self._clash(connection)
        if not plan.done:
            data = self._connections.before(connection)
            if plan.text is not None:
                data = plan.text.encode()
            if connection.existed or (plan.text is not None and data):
                replace_client_file(plan.file, data)
            else:
                remove_client_file(plan.file, connection.made_folders)
        self._connections.drop(connection)

    def _without_lull(self, file: ClientFile, known: Connection) -> bytes | None:
        """The file as it would be had Lull never written it.

        Raises ClientFileError where that cannot be told.
        """
        if file.data is None:
            return None
        if sha256_of(file.data) == known.after_sha256:
            return self._connections.before(known) if known.existed else None
        before, after = self._connections.before(known), self._connections.after(known)
        if known.existed and file.data == before:
            return before
        merged = undo_change(before.decode(), after.decode(), file.text)
        if merged is None:
            raise self._clash(known)
        return None if merged == "" and not known.existed else merged.encode()

    def _clash(self, connection: Connection) -> ClientFileError:
        backup = self._connections.backup_path(connection)
        return ClientFileError(
            f"The lines that Lull wrote in {connection.path} have been changed since.",
            hint=f"Change it by hand; a copy of what it was before is in {backup}.",
        )

    def _undo_plan(self, connection: Connection) -> UndoPlan:
        file = read_client_file(Path(connection.path))
        before = self._connections.before(connection)
        now = file.data
        if (now is None and not connection.existed) or (connection.existed and now == before):
            return UndoPlan(
                connection=connection, file=file, text=None, clash=False, diff="", done=True
            )
        if now is not None and sha256_of(now) == connection.after_sha256:
            return UndoPlan(
                connection=connection, file=file, text=None, clash=False, diff="", done=False
            )
        after = self._connections.after(connection).decode()
        text = before.decode() if now is None else undo_change(before.decode(), after, file.text)
        return UndoPlan(
            connection=connection,
            file=file,
            text=text,
            clash=text is None,
            diff=difference(
                after,
                "" if now is None else file.text,
                connection.path,
                first="as Lull wrote it",
                second="now",
            ),
            done=False,
        )

    def _edited(self, client: ChatProgram, path: Path, text: str, target: ConnectTarget) -> str:
        assert client.edit is not None
        try:
            return client.edit(text, target, self._yaml)
        except ClientFileError as error:
            raise ClientFileError(f"{path}: {error.detail}", hint=error.hint) from error
