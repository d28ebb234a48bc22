"""`lull connect`: lists chat apps, configures one to send its requests through Lull, tests the
connection and undoes it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lull.cli.clients import connect_words as words
from lull.cli.shared.context import Context, progress
from lull.cli.shared.control import Control, find_service
from lull.cli.shared.showing import ask, is_terminal
from lull.config import files
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.clients.client import ChatProgram, client_named, clients_of
from lull.core.clients.connection import ConnectionState
from lull.core.clients.target import ConnectTarget
from lull.core.errors import (
    ClientFileError,
    Conflict,
    LullError,
    NotRunning,
    TrialFailed,
    UsageError,
)
from lull.loops.clients.connect import ConnectPlan
from lull.service.wiring.clients import connect_parts


def connect(context: Context) -> int:
    """Run the command `lull connect` and return its exit code.

    It is 1 if the chat app was connected but the test request failed.
    """
    options = context.options
    walk = _Walk(context)
    if options.name == "list":
        if options.test or options.file or options.force:
            raise UsageError("Name a client.", hint="`lull connect` lists them.")
        if options.undo:
            return walk.undo_all()
        context.print_result({"clients": [walk.view(one) for one in walk.clients]}, words.listed)
        return 0
    client = client_named(options.name, walk.user)
    if options.force and not options.undo:
        raise UsageError("--force goes with --undo.", hint="`lull connect --help` tells more.")
    if options.undo:
        return walk.undo(client)
    if options.test:
        return walk.test(client)
    return walk.connect(client)


class _Walk:
    """One run of `lull connect`: carries out what its options ask for."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._parts = connect_parts(context.paths)
        self.user = self._parts.user
        self.clients = clients_of(self.user)
        self._connecting = self._parts.connecting
        self._running = find_service(context.paths)
        self._target = ConnectTarget(address=self._address(), model=self._model())

    def view(self, client: ChatProgram) -> Json:
        """Return as JSON what is known of a chat app and of its settings file (the one named by
        --file, or else found).
        """
        named = _named_file(self._context.options.file)
        return self._parts.overview.view(client, self._target, named)

    def connect(self, client: ChatProgram) -> int:
        options = self._context.options
        if not options.yes and self._by_hand(client):
            view = self.view(client)
            self._context.print_result({"written": False, **view, "clients": [view]}, words.by_hand)
            return 0
        self._refuse_token()
        plan = self._connecting.plan(client, self._target, _named_file(options.file))
        document: Json = {
            "name": client.name,
            "file": str(plan.file.path),
            "diff": plan.diff,
            "written": False,
            "connected": not plan.changes,
            "note": client.note,
            "test": None,
            "clients": [self.view(client)],
        }
        if not plan.changes:
            self._context.print_result(document, words.nothing_to_do)
            return 0
        asks = not options.yes and not self._context.as_json and is_terminal()
        if options.dry_run or not (options.yes or asks):
            self._context.print_result(document, words.not_written)
            return 0
        if asks and not _agreed(document):
            self._context.print_result(document, lambda _: "Nothing was changed.")
            return 0
        with self._parts.lock.hold():
            self._connecting.write(plan, at=self._parts.clock.now().astimezone().isoformat())
        document |= {"written": True, "connected": True, "test": self._tested(plan)}
        document["clients"] = [self.view(client)]
        hint = f"`lull connect {client.name} --undo` brings the file back."
        error = _failed(document["test"], hint)
        return self._end(document, words.written, error)

    def _by_hand(self, client: ChatProgram) -> bool:
        """Whether Lull cannot write a chat app's settings, so that the user has to change them."""
        named = _named_file(self._context.options.file)
        return client.edit is None or self._connecting.place(client, named) is None

    def test(self, client: ChatProgram) -> int:
        """Send a chat app's test request through Lull, without changing any file; return the exit
        code.
        """
        if self._running is None:
            Control(self._context.paths)  # raises NotRunning
        standing = self._connecting.connection_state(client, self._target)
        if client.edit is not None and standing is not ConnectionState.CONNECTED:
            raise UsageError(
                f"{client.title} is not connected.",
                hint=f"`lull connect {client.name}` connects it.",
            )
        test = self._try(client)
        document = {"name": client.name, "test": test, "clients": [self.view(client)]}
        return self._end(document, words.describe_test, _failed(test, "`lull doctor` tells more."))

    def undo(self, client: ChatProgram) -> int:
        with self._parts.lock.hold():
            done = self._undone(client)
            document = {"name": client.name, **done, "files": done["changes"]}
            document["clients"] = [self._undone_view(client, done)]
        self._context.print_result(document, words.undone)
        return 0

    def undo_all(self) -> int:
        """Disconnect all chat apps by restoring their settings files; return 1 if a file cannot be
        restored, else 0.
        """
        done: list[Json] = []
        failed: list[Json] = []
        errors: list[LullError] = []
        with self._parts.lock.hold():
            known = {one.client for one in self._parts.connections.all()}
            for client in self.clients:
                if client.name not in known:
                    continue
                try:
                    undone = self._undone(client, shows=False)
                    done.append(self._undone_view(client, undone))
                except (ClientFileError, Conflict) as error:
                    failed.append({"name": client.name, "error": error.as_dict()})
                    errors.append(error)
        whole: LullError | None = errors[0] if errors else None
        if len(errors) > 1:
            details = " ".join(one.detail for one in errors)
            whole = ClientFileError(details, hint="`lull connect NAME --undo` tells more of each.")
        return self._end({"clients": done, "failed": failed}, words.all_undone, whole)

    def _undone_view(self, client: ChatProgram, undone: Json) -> Json:
        return {**self.view(client), **undone, "files": [one["file"] for one in undone["changes"]]}

    def _end(self, document: Json, said: Callable[[Json], str], error: LullError | None) -> int:
        """Print the result and return the exit code; an error is added to the result and printed to
        stderr as one line.
        """
        if error is not None:
            document["error"] = error.as_dict()
        self._context.print_result(document, said)
        if error is None:
            return 0
        self._context.print_error(error)
        return error.exit_code

    def _undone(self, client: ChatProgram, *, shows: bool = True) -> Json:
        """Restore a chat app's settings files. Raises Conflict if one was changed since Lull wrote
        it.
        """
        options = self._context.options
        changes: list[Json] = []
        undone = False
        for plan in self._connecting.undo_plans(client, _named_file(options.file)):
            path = plan.connection.path
            view = {"file": path, "changed_since": plan.changed, "diff": plan.diff}
            changes.append({**view, "only_line_ends": plan.only_line_ends})
            if options.dry_run:
                continue
            if plan.changed and not options.force:
                if shows and plan.diff and not self._context.as_json:
                    print(words.diff_since_written(plan))
                where = ": only line ends differ" if plan.only_line_ends else ""
                raise Conflict(
                    f"{path} was changed since Lull wrote it{where}.",
                    hint=f"`lull connect {client.name} --undo --force` takes out what Lull"
                    " wrote and keeps the rest.",
                )
            self._connecting.undo(plan)
            undone = True
        return {"undone": undone, "changes": changes}

    def _tested(self, plan: ConnectPlan) -> Json | None:
        if self._running is None:
            return None
        return self._try(plan.client)

    def _try(self, client: ChatProgram) -> Json:
        assert self._running is not None
        wanted = str(self._context.options.model or "")
        used = self._most_used() or self._parts.own_model
        asked = self._connecting.model_to_ask(client, self._target, wanted=wanted, used=used)
        progress(f"lull: asking {asked.name} as {client.title} would")
        address = self._target.address
        tried = self._parts.try_out(address, client.speech, client.name, asked.name)
        return {**tried, "from_client": asked.from_client}

    def _address(self) -> str:
        if self._running is not None:
            return self._running.address.rstrip("/")
        return f"http://127.0.0.1:{files.read(self._context.paths.settings).service.port}"

    def _model(self) -> str:
        if self._context.options.model:
            return str(self._context.options.model)
        model = self._most_used()
        return "" if model == self._parts.own_model else model

    def _most_used(self) -> str:
        """The model that the user talks to most; "" if the service does not run."""
        try:
            clients = Control(self._context.paths).get(routes.CLIENTS) if self._running else {}
        except NotRunning:
            return ""
        return str(clients.get("most_used") or "")

    def _status(self) -> Json:
        try:
            return Control(self._context.paths).get(routes.STATUS)
        except NotRunning:
            return {}

    def _refuse_token(self) -> None:
        if self._running is not None:
            needed = bool(self._status().get("needs_token"))
        else:
            needed = files.read(self._context.paths.settings).service.needs_token
        if needed:
            raise UsageError(
                "Other machines can reach this Lull, so it asks every client for a token, which is"
                " not written into files of other programs.",
                hint="`lull status --token` shows it, for the client's field for an API key.",
            )


def _failed(test: Json | None, hint: str) -> TrialFailed | None:
    if test is None or test["ok"]:
        return None
    return TrialFailed(" ".join(str(test["why"]).split()), hint=hint)


def _agreed(document: Json) -> bool:
    """Show the change of a chat app's settings and ask the user whether to write it."""
    print(words.describe_change(document))
    return (ask("Write this? [y/N] ") or "").lower() in ("y", "yes")


def _named_file(name: str | None) -> Path | None:
    return None if name is None else Path(name).expanduser().absolute()
