"""`lull skills`: lists and changes skills (instruction texts) through the running service.

Without a service, files are read directly and changes are made while holding the service's lock
file.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lull.cli.shared.context import Context, plain, short_time, table
from lull.cli.shared.data_change import change_data
from lull.cli.skills.measured_words import measured_words
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotFound, UsageError
from lull.core.skills.skill import SkillText, check_client, check_name, check_text
from lull.resources import starter_skills_dir

STARTER = "starter"


def skills(context: Context) -> None:
    """Run `lull skills`: list, show and change the skills."""
    action = context.options.action or "list"
    reading = {"list": _list, "show": _show, "history": _history, "diff": _diff}
    check_client(context.options.client or "")
    if action in reading:
        reading[action](context)
        return
    wanted = _wanted(context, action)
    context.print_result(_change(context, wanted), lambda done: _change_words(action, done))


def _wanted(context: Context, action: str) -> Json:
    """Return the requested skill change as a request body of the control API."""
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
    # Check what was given before sending it; "-" stands for a field that stays unchanged.
    check_text(
        SkillText(
            name=name,
            description="-" if description is None else description,
            body="-" if body is None else body,
        )
    )
    return {"name": name, "description": description, "body": body, "pin": options.pin}


def body_text(given: str | None) -> str | None:
    """Return the skill text that the user gave with the option --body: its argument itself, the
    content of the file for @FILE, or stdin for "-".

    Raises UsageError.
    """
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
    return change_data(
        context, routes.SKILLS_CHANGE, wanted, lambda: _changing_here(context, wanted)
    )


def _changing_here(context: Context, wanted: Mapping[str, object]) -> Callable[[], Json]:
    # Importing takes far longer than the change, so it is done without the lock.
    from lull.backends.system.clock import SystemClock, TimeSortedIds
    from lull.loops.skills.approve import Approve
    from lull.loops.skills.from_files import FromFiles
    from lull.service.skills.changes import SkillChangeRequests
    from lull.service.wiring.base.stores import open_stores

    def change() -> Json:
        stores = open_stores(context.paths, rescue=False)
        try:
            skills, clock = stores.skills, SystemClock()
            files = FromFiles(skills, stores.proposals, clock=clock, ids=TimeSortedIds())
            approve = Approve(skills, clock, in_use=None, files=files)
            return asyncio.run(SkillChangeRequests(approve, files, skills).apply(wanted))
        finally:
            stores.database.close()

    return change


def _change_words(action: str, done: Json) -> str:
    if action == "export":
        return "\n".join(f"Wrote {folder}" for folder in done["folders"])
    same, waiting = done.get("unchanged", ()), done.get("proposals", ())
    said = [f"Unchanged: {_some(same)}."] if same else []
    if waiting:
        said.insert(0, _waiting_words(waiting))
    if done["skills"]:
        names = _some([f"{s['name']} v{s['version']} ({_state(s)})" for s in done["skills"]])
        gone = all(s["status"] != "active" for s in done["skills"])
        when = (
            "Conversations that began with it keep it"
            if gone
            else "In force from your next message"
        )
        changed = f"Generation {done['generation']}: {names}. {when}."
        said.insert(0, changed)
    said += [f"Look at this: {plain(flag['text'])}" for flag in done.get("flags", ())]
    return "\n".join(said) or f"Nothing changed; generation {done['generation']}."


def _waiting_words(waiting: Sequence[Json]) -> str:
    names = _some([f"{p['name']} ({p['id']})" for p in waiting])
    which = f"{waiting[0]['id']}" if len(waiting) == 1 else "ID"
    return (
        f"Waits for you, and is not in force: {names}. `lull review show {which}` shows the text"
        " and what to look at; approve it by its --sha256."
    )


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
        lambda stored: stored.skills.list(client=client, everything=everything),
        default={"generation": 0, "skills": []},
    )
    context.print_result(document, _list_words)


def _show(context: Context) -> None:
    client, name = context.options.client, check_name(context.options.name)
    document = context.read(
        routes.SKILLS,
        {"client": client or "", "all": 1},
        lambda stored: stored.skills.list(client=client, everything=True),
        default={"generation": 0, "skills": []},
    )
    found = [
        skill
        for skill in document["skills"]
        if skill["name"] == name and (client or not skill["client"])
    ]
    if not found:
        raise NotFound(f"There is no skill '{name}'.", hint="`lull skills list` shows them.")
    context.print_result({"skill": found[0]}, _show_words)


def _show_words(document: Json) -> str:
    skill = document["skill"]
    lines = [
        f"{skill['name']} v{skill['version']}, {_state(skill)},"
        f" for {skill['client'] or 'everybody'}, {skill['uses']} uses",
        f"When: {plain(skill['description'])}",
        f"Measured: {measured_words(skill['measured'])}",
        "",
        plain(skill["body"]),
    ]
    return "\n".join(lines)


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
        lambda stored: stored.skills.history(**query),
        default=None if query["name"] else {"history": []},
    )
    context.print_result(document, _history_words if query["name"] else _generations_words)


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
    document = context.read(routes.SKILLS_DIFF, query, lambda stored: stored.skills.diff(**query))
    context.print_result(document, lambda d: plain(d["diff"]) or "The two read the same.")
