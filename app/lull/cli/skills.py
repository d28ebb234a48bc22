"""`lull skills`: asked of and done by the running service.

Where none runs, the files are read here, and a change is made here under the service's own lock.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lull.cli.alone import changed
from lull.cli.context import Context, plain, short_time, table
from lull.contract import routes
from lull.core.errors import UsageError
from lull.core.skill import Library, SkillText, check_client, check_name, check_text
from lull.resources import starter_skills_dir

Json = dict[str, Any]
STARTER = "starter"


def skills(context: Context) -> None:
    action = context.options.action or "list"
    reading = {"list": _list, "history": _history, "diff": _diff}
    check_client(context.options.client or "")
    if action in reading:
        reading[action](context)
        return
    wanted = _wanted(context, action)
    context.answer(_change(context, wanted), lambda done: _change_words(action, done))


def _wanted(context: Context, action: str) -> Json:
    """The change in the words of the control API."""
    options = context.options
    wanted: Json = {"do": action, "client": options.client or ""}
    match action:
        case "add" | "edit":
            wanted |= _text(context, new=action == "add")
        case "rollback":
            wanted["generation"] = options.generation
        case "import":
            starter = options.folder == STARTER and not Path(STARTER).exists()
            folder = starter_skills_dir() if starter else Path(options.folder)
            wanted["folder"] = str(folder.absolute())
        case "export":
            wanted["folder"] = str(Path(options.folder).absolute())
            wanted["names"] = [check_name(name) for name in options.names]
        case "copy":
            wanted["name"], wanted["to"] = check_name(options.name), check_client(options.to)
        case _:
            wanted["name"] = check_name(options.name)
    return wanted


def _text(context: Context, *, new: bool) -> Json:
    options = context.options
    name, description = check_name(options.name), options.description
    if not new and description is None and options.body is None and not options.pin:
        raise UsageError("Nothing to edit.", hint="Give --description, --body or --pin.")
    body = body_text(options.body)
    # What is given is checked before anything is asked; what is not given stays as it is.
    check_text(
        SkillText(
            name=name,
            description="-" if description is None else description,
            body="-" if body is None else body,
        )
    )
    return {"name": name, "description": description, "body": body, "pin": options.pin}


def body_text(given: str | None) -> str | None:
    """What --body means: the text itself, @FILE, or - for stdin. Raises UsageError."""
    if given is None or not given.startswith(("-", "@")):
        return given
    try:
        if given == "-":
            return "" if sys.stdin is None else sys.stdin.buffer.read().decode()
        return given if given[0] == "-" else Path(given[1:]).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        where = "stdin" if given == "-" else given[1:]
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(
            f"--body {given[:1]}: {where}: {reason}.",
            hint="--body takes the text itself, @FILE, or - for stdin.",
        ) from error


def _change(context: Context, wanted: Mapping[str, object]) -> Json:
    return changed(context, routes.SKILLS_CHANGE, wanted, lambda: _changing_here(context, wanted))


def _changing_here(context: Context, wanted: Mapping[str, object]) -> Callable[[], Json]:
    # Loading this takes far longer than the change: nobody else shall wait for it.
    from lull.backends.clock import SystemClock
    from lull.loops.approve import Approve
    from lull.service.skill_changes import SkillChanges
    from lull.service.wiring.stores import open_stores

    def change() -> Json:
        stores = open_stores(context.paths, rescue=False)
        try:
            approve = Approve(stores.skills, SystemClock(), follower=_nobody_follows)
            return asyncio.run(SkillChanges(approve, stores.skills).apply(wanted))
        finally:
            stores.database.close()

    return change


async def _nobody_follows(_: Library) -> None:
    """No service runs, so nothing has to be told."""


def _change_words(action: str, done: Json) -> str:
    if action == "export":
        return "\n".join(f"Wrote {folder}" for folder in done["folders"])
    same = done.get("unchanged", ())
    unchanged = f"Unchanged: {_some(same)}." if same else ""
    if not done["skills"]:
        return unchanged or f"Nothing changed; generation {done['generation']}."
    names = _some([f"{s['name']} v{s['version']} ({_state(s)})" for s in done["skills"]])
    changed = f"Generation {done['generation']}: {names}. In force from the next conversation."
    return f"{changed}\n{unchanged}" if same else changed


def _some(names: Sequence[str]) -> str:
    more = "" if len(names) <= 10 else f" and {len(names) - 10} more"
    return ", ".join(names[:10]) + more


def _state(skill: Json) -> str:
    return f"{skill['status']}, pinned" if skill["pinned"] else str(skill["status"])


def _list(context: Context) -> None:
    client, everything = context.options.client, context.options.all
    document = context.read(
        routes.SKILLS,
        {"client": client, "all": int(everything)},
        lambda reading: reading.skills(client=client, everything=everything),
        nothing={"generation": 0, "skills": []},
    )
    context.answer(document, _list_words)


def _list_words(document: Json) -> str:
    if not document["skills"]:
        return "No skills here. `lull skills add` makes one, `lull skills import starter` a dozen."
    rows = [
        (
            s["name"] + (" *" if s["pinned"] else ""),
            f"v{s['version']}",
            s["status"],
            s["client"] or "everybody",
            s["uses"],
            " ".join(s["description"].split())[:80],
        )
        for s in document["skills"]
    ]
    head = ("SKILL", "VERSION", "STATUS", "CLIENT", "USES", "WHEN")
    return f"Generation {document['generation']} (* pinned)\n{table(rows, head)}"


def _history(context: Context) -> None:
    query = {"name": context.options.name, "client": context.options.client or ""}
    if query["name"]:
        check_name(query["name"])
    document = context.read(
        routes.SKILLS_HISTORY,
        query,
        lambda reading: reading.history(**query),
        nothing=None if query["name"] else {"history": []},
    )
    context.answer(document, _history_words if query["name"] else _generations_words)


def _generations_words(document: Json) -> str:
    rows = [(h["generation"], short_time(h["at"]), h["detail"]) for h in document["history"]]
    return table(rows, ("GENERATION", "AT", "CHANGE")) if rows else "No change yet."


def _history_words(document: Json) -> str:
    rows = [
        (h["generation"], short_time(h["at"]), f"v{h['version']}", _state(h), h["detail"])
        for h in document["history"]
    ]
    return table(rows, ("GENERATION", "AT", "VERSION", "STATUS", "CHANGE"))


def _diff(context: Context) -> None:
    options = context.options
    query: Json = {
        "name": check_name(options.name),
        "client": options.client or "",
        "old": options.old or 0,
        "new": options.new or 0,
    }
    document = context.read(routes.SKILLS_DIFF, query, lambda reading: reading.diff(**query))
    context.answer(document, lambda d: plain(d["diff"]) or "The two read the same.")
