"""The commands `lull serve`, `status`, `stop`, `logs` and `doctor`, which run and inspect the
service.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import sys
import time
from typing import TYPE_CHECKING

from lull import __version__
from lull.cli.idle.lulls import headline
from lull.cli.shared.context import Context, progress
from lull.cli.shared.control import Control, find_service
from lull.cli.shared.own_command import ask_line, own_command
from lull.config.files import read, write_default
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import LullError, NotFound, NotRunning
from lull.service.entry.stand_in_guard import end_stand_in
from lull.service.process.lock import is_running

if TYPE_CHECKING:
    from lull.service.entry.main import StartMessage

NEEDS_TOKEN = "Every request needs a token. `lull status --token` shows it."
NO_TOKEN = "No request needs a token: only this machine can connect."
_SWITCHED_OFF = (
    "Lull is off: Ollama gets every request as it came, and nothing is recorded. "
    "`lull settings set service.enabled true` turns it on."
)
STOP_WITHIN_S = 30.0
"""Seconds that `lull stop` waits for the service, on top of the time for running answers."""


class DoctorFound(LullError):
    title = "The doctor found something"


def serve(context: Context) -> None:
    """Run `lull serve`: the service itself, until it is stopped."""
    from lull.service.entry.main import run

    context.paths.prepare()
    write_default(context.paths.settings)
    settings = read(context.paths.settings)
    if context.options.port is not None:
        service = dataclasses.replace(settings.service, port=context.options.port)
        settings = dataclasses.replace(settings, service=service)

    def tell(ready: StartMessage) -> None:
        # Whoever read our output may have closed the pipe; the service goes on.
        with contextlib.suppress(BrokenPipeError):
            if context.as_json:
                print(json.dumps({"address": ready.address, "pid": ready.pid}), flush=True)
            else:
                print(greeting(context, ready), flush=True)

    run(settings, context.paths, tell=tell, played=context.options.played_clock)
    if not context.as_json:
        print("Lull has stopped.")


def greeting(context: Context, ready: StartMessage) -> str:
    """Return what `lull serve` prints when it is ready: addresses, models and a command to try."""
    if ready.upstream_ok:
        models = "1 model" if ready.models == 1 else f"{ready.models} models"
        small = "answers as 'lull-mini'" if ready.built_in else "cannot be used"
        behind = (
            f"Ollama answers behind it, at {ready.upstream}, with {models};\n"
            f"the small built-in model {small}."
        )
    elif not ready.built_in:
        behind = (
            f"Ollama does not answer at {ready.upstream}, and the built-in model cannot be used:\n"
            "nothing can answer until Ollama is started."
        )
    else:
        behind = (
            f"Ollama does not answer at {ready.upstream}, so the small built-in model\n"
            "'lull-mini' answers alone. Start Ollama at any time; Lull will notice."
        )
    token = ""
    if ready.token and sys.stdout.isatty():
        token = f"Every request needs this token: {ready.token}\n"
    elif ready.token:
        # Started at login, this is written to the system's journal, which others can read.
        token = f"{NEEDS_TOKEN}\n"
    notes = "".join(f"Note: {note}\n" for note in ready.notes)
    paste = (
        f", or paste this line into another terminal:\n\n"
        f"  {ask_line(own_command(context.paths, os.environ))}\n"
    )
    return f"""Lull is running at {ready.address} (process {ready.pid}).
{behind}
Your files lie in {context.paths.home}.
{token}{notes}
Point a chat client there instead of at Ollama{paste if ready.built_in else "."}
Ctrl-C stops it."""


def status(context: Context) -> int:
    """Run `lull status`: tell what the running service does."""
    if context.options.token:
        context.print_result(
            Control(context.paths).get(routes.TOKEN), lambda d: d["token"] or NO_TOKEN
        )
        return 0
    try:
        document = Control(context.paths).get(routes.STATUS)
    except NotRunning as error:
        if not context.as_json:
            raise
        nothing = {
            "running": False,
            "address": None,
            "pid": None,
            "version": __version__,
            "home": str(context.paths.home),
            "error": error.as_dict(),
        }
        context.print_result(nothing, lambda _: "")
        context.print_error(error)
        return error.exit_code
    context.print_result(document, _status_words)
    return 0


def _status_words(status: Json) -> str:
    upstream, skills, learning = status["upstream"], status["skills"], status["learning"]
    there = "answers" if upstream["ok"] else "does not answer"
    lines = [
        f"Lull {status['version']} runs at {status['address']} (process {status['pid']}).",
        f"Ollama at {upstream['address']} {there}."
        + (" The built-in model answers alone." if upstream["kind"] == "builtin" else ""),
        *([] if status["enabled"] else [_SWITCHED_OFF]),
        f"Skills: {skills['active']} active, generation {status['policy']['generation']}.",
        f"Recorded: {status['conversations']} conversations, {status['turns']} turns.",
        f"Lulls: {headline(learning)}",
    ]
    if held := status["trash"]["conversations"]:
        lines.append(f"In the trash: {held} old conversations. See `lull trash`.")
    if status["skills"]["proposals"]:
        waiting = status["skills"]["proposals"]
        lines.append(f"Suggestions: {waiting} wait for you. See `lull review`.")
    if status["question"]:
        turn = status["question"]
        lines.append(f"Was this answer good? `lull rate {turn} good` or `bad`.")
    if not status["judge"]["trains"]:
        lines.append(status["judge"]["why"])
    if status["policy"]["model"]:
        lines.insert(2, f"Model: {status['policy']['model']}.")
    if status["needs_token"]:
        lines.insert(1, NEEDS_TOKEN)
    lines += [f"Problem: {p['title']}: {p['detail']} {p['hint']}" for p in status["problems"]]
    return "\n".join(lines)


def stop(context: Context) -> None:
    """Run `lull stop`: end the running service."""
    # Where a service runs, what stood in before it may still finish answers.
    if not is_running(context.paths.lock) and end_stand_in(context.paths.stand_in_lock):
        words = "Lull did not run; what handed its chat apps' requests to Ollama has stopped."
        context.print_result({"stopped": True}, lambda _: words)
        return
    control = Control(context.paths)
    asked = control.post(routes.STOP, {})
    within_s = STOP_WITHIN_S + float(asked.get("finish_within_s", 0.0))
    until = time.monotonic() + within_s
    while is_running(context.paths.lock):
        if time.monotonic() > until:
            raise LullError(
                f"Process {control.discovery.pid} is still there after {within_s:g} s.",
                hint=f"`kill {control.discovery.pid}` ends it; nothing recorded is lost.",
            )
        time.sleep(0.05)
    context.print_result({"stopped": True}, lambda _: "Lull has stopped.")


def logs(context: Context) -> None:
    """Run `lull logs`: print the service's log, and go on printing it if asked to."""
    from lull.cli.process import log_lines

    folder, follow = context.paths.logs, context.options.follow
    log_lines.check_log(folder)
    if not follow and not log_lines.has_logs(folder):
        raise NotFound(f"There is no log in {folder} yet.", hint="Start it with `lull serve`.")
    following = log_lines.LogFollower(folder) if follow else None
    for line in log_lines.last_lines(folder, context.options.lines):
        _print_line(context, line)
    if following is not None:
        progress("lull: following; Ctrl-C ends it")
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(following):
            for line in following.lines():
                _print_line(context, line)


def _print_line(context: Context, line: str) -> None:
    try:
        said = json.loads(line)
        words = f"{said['at']} {said['level']:7} {said['part']}: {said['text']}"
    except (ValueError, KeyError, TypeError):
        said = {"text": line}
        words = line
    print(json.dumps(said) if context.as_json else words, flush=True)


def doctor(context: Context) -> int:
    """Run `lull doctor`: check the whole installation and tell what is wrong."""
    if not _answers(context):
        from lull.cli.process.doctor import without_service

        document = asyncio.run(without_service(context.paths))
    else:
        document = Control(context.paths).get(routes.DOCTOR)
    serious = [one for one in document["checks"] if one["serious"]]
    if not serious:
        context.print_result(document, _doctor_words)
        return 0
    first = serious[0]
    more = f" And {len(serious) - 1} more." if len(serious) > 1 else ""
    error = DoctorFound(f"{first['name']}: {first['text']}{more}", hint=first["hint"])
    context.print_result({**document, "error": error.as_dict()}, _doctor_words)
    context.print_error(error)
    return error.exit_code


def _answers(context: Context) -> bool:
    """Whether a service runs; False if its lock cannot be read, which another check reports."""
    try:
        return find_service(context.paths) is not None
    except OSError:
        return False


def _doctor_words(document: Json) -> str:
    lines = []
    for one in document["checks"]:
        mark = "ok  " if one["ok"] else "FAIL" if one["serious"] else "note"
        lines.append(f"{mark}  {one['name']}: {one['text']}")
        if one["hint"]:
            lines.append(f"      {one['hint']}")
    return "\n".join(lines)
