"""`lull skills`: reading goes to the store, a change to the running service.

Where no service runs a change is made here, under the service's own lock.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lull.backends.clock import SystemClock
from lull.cli.context import Context, short_time, table
from lull.cli.control import Control, found
from lull.contract import routes
from lull.core.errors import NotFound, UsageError
from lull.core.skill import Library, SkillKey, SkillText, check_client, check_name, check_text
from lull.loops.approve import Approve
from lull.resources import starter_skills_dir
from lull.service.lock import ServiceLock
from lull.service.skill_changes import SkillChanges
from lull.service.views import diff_view, generations_view, history_view, skills_view
from lull.service.wiring import open_stores
from lull.store.skills import HistoryRow

Json = dict[str, Any]
STARTER = "starter"


def skills(context: Context) -> None:
    action = context.options.action or "list"
    reading = {"list": _list, "history": _history, "diff": _diff}
    if action in reading:
        reading[action](context)
        return
    wanted = _wanted(context, action)
    context.answer(_change(context, wanted), lambda done: _change_words(action, done))


def _wanted(context: Context, action: str) -> Json:
    options = context.options
    client = check_client(options.client or "")
    wanted: Json = {"do": action, "client": client}
    match action:
        case "add" | "edit":
            wanted["name"] = check_name(options.name)
            wanted["description"] = options.description
            wanted["body"] = _body(options.body)
            wanted["pin"] = getattr(options, "pin", False)
            if action == "add":
                text = SkillText(
                    name=options.name, description=options.description, body=wanted["body"] or ""
                )
                check_text(text)
        case "rollback":
            wanted["generation"] = options.generation
        case "import":
            starter = options.folder == STARTER and not Path(STARTER).exists()
            folder = starter_skills_dir() if starter else Path(options.folder)
            wanted["folder"] = str(folder.absolute())
        case "export":
            wanted["folder"] = str(Path(options.folder).absolute())
            wanted["names"] = options.names
        case "copy":
            wanted["name"], wanted["to"] = options.name, options.to
        case _:
            wanted["name"] = options.name
    return wanted


def _body(given: str | None) -> str | None:
    if given == "-":
        return sys.stdin.read()
    if given is not None and given.startswith("@"):
        try:
            return Path(given[1:]).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise UsageError(f"{given[1:]}: {reason}.", hint="Check the file's name.") from error
    return given


def _change(context: Context, wanted: Mapping[str, object]) -> Json:
    if found(context.paths) is not None:
        return Control(context.paths).post(routes.SKILLS_CHANGE, wanted)
    context.paths.prepare()
    lock = ServiceLock(context.paths.lock)
    lock.take()
    stores = open_stores(context.paths)
    try:
        approve = Approve(stores.skills, SystemClock(), follower=_nobody_follows)
        return asyncio.run(SkillChanges(approve, stores.skills).apply(wanted))
    finally:
        stores.database.close()
        lock.release()


async def _nobody_follows(_: Library) -> None:
    """No service runs, so nothing has to be told."""


def _change_words(action: str, done: Json) -> str:
    if action == "export":
        return "\n".join(f"Wrote {folder}" for folder in done["folders"])
    if not done["skills"]:
        return f"Nothing changed; generation {done['generation']}."
    names = ", ".join(f"{s['name']} v{s['version']} ({s['status']})" for s in done["skills"][:10])
    more = "" if len(done["skills"]) <= 10 else f" and {len(done['skills']) - 10} more"
    return f"Generation {done['generation']}: {names}{more}. In force from the next conversation."


def _list(context: Context) -> None:
    client = context.options.__dict__.get("client")
    if client:
        check_client(client)
    everything = bool(context.options.__dict__.get("all"))
    if not context.paths.database.exists():
        context.answer({"generation": 0, "skills": []}, _list_words)
        return
    with context.stores() as stores:
        document = skills_view(
            stores.skills.library(), stores.skills.uses(), client=client, everything=everything
        )
    context.answer(document, _list_words)


def _list_words(document: Json) -> str:
    if not document["skills"]:
        return "No skills yet. `lull skills add` makes one, `lull skills import starter` brings 12."
    rows = [
        (
            s["name"] + (" *" if s["pinned"] else ""),
            f"v{s['version']}",
            s["status"],
            s["client"] or "everybody",
            s["uses"],
            s["description"][:80],
        )
        for s in document["skills"]
    ]
    head = ("SKILL", "VERSION", "STATUS", "CLIENT", "USES", "WHEN")
    return f"Generation {document['generation']} (* pinned)\n{table(rows, head)}"


def _history(context: Context) -> None:
    name = context.options.name
    with context.stores() as stores:
        if name is None:
            context.answer(generations_view(stores.skills.generations()), _generations_words)
            return
        rows = stores.skills.history(SkillKey(context.options.client or "", name))
    context.answer(history_view(rows), _history_words)


def _generations_words(document: Json) -> str:
    rows = [(h["generation"], short_time(h["at"]), h["detail"]) for h in document["history"]]
    return table(rows, ("GENERATION", "AT", "CHANGE")) if rows else "No change yet."


def _history_words(document: Json) -> str:
    rows = [
        (h["generation"], short_time(h["at"]), f"v{h['version']}", h["status"], h["detail"])
        for h in document["history"]
    ]
    return table(rows, ("GENERATION", "AT", "VERSION", "STATUS", "CHANGE"))


def _diff(context: Context) -> None:
    options = context.options
    with context.stores() as stores:
        rows = stores.skills.history(SkillKey(options.client or "", options.name))
        versions = {row.version: row for row in reversed(rows)}
        newest = max(versions)
        new = _version(versions, options.new or newest)
        old = _version(versions, options.old or max(1, new.version - 1))
        folders = stores.skills.folders
        document = diff_view(
            folders.data(old.sha256),
            folders.data(new.sha256),
            old=f"{options.name} v{old.version}",
            new=f"{options.name} v{new.version}",
        )
    context.answer(document, lambda d: d["diff"] or "The two read the same.")


def _version(versions: Mapping[int, HistoryRow], number: int) -> HistoryRow:
    if number not in versions:
        raise NotFound(f"There is no version {number}.", hint="`lull skills history NAME`.")
    return versions[number]
