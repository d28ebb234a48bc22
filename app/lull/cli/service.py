"""`serve`, `status`, `stop`, `open`, `logs`, `doctor`."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Any

from lull.cli.context import Context, progress
from lull.cli.control import Control, found
from lull.config.files import read, write_default
from lull.contract import routes
from lull.core.errors import LullError, NotFound, UsageError
from lull.service.lock import is_running

Json = dict[str, Any]
STOP_WITHIN_S = 30.0


def serve(context: Context) -> None:
    from lull.service.main import Ready, run

    context.paths.prepare()
    write_default(context.paths.settings)
    settings = read(context.paths.settings)
    if context.options.port is not None:
        service = dataclasses.replace(settings.service, port=context.options.port)
        settings = dataclasses.replace(settings, service=service)

    def tell(ready: Ready) -> None:
        if context.as_json:
            print(json.dumps({"address": ready.address, "pid": ready.pid}), flush=True)
        else:
            print(_greeting(context, ready), flush=True)

    run(settings, context.paths, tell=tell)
    if not context.as_json:
        print("Lull has stopped.")


def _greeting(context: Context, ready: Any) -> str:
    if ready.upstream_ok:
        behind = f"Ollama at {ready.upstream} answers behind it; the built-in model is 'pocket'."
    else:
        behind = (
            f"Ollama does not answer at {ready.upstream}, so the small built-in model 'pocket'\n"
            "answers alone. Start Ollama at any time; Lull will notice."
        )
    notes = "".join(f"\nNote: {note}" for note in ready.notes)
    return f"""Lull is running at {ready.address} (process {ready.pid}).
{behind}
Your files lie in {context.paths.home}.{notes}

Paste this into another terminal to get an answer:

  curl {ready.address}/api/chat -d '{{"model": "pocket", "stream": false,
    "messages": [{{"role": "user", "content": "write a menu for apple river"}}]}}'

Ctrl-C stops it."""


def status(context: Context) -> int:
    there = found(context.paths)
    if there is None:
        context.answer(
            {"running": False, "home": str(context.paths.home)},
            lambda _: "Lull is not running. Start it with `lull serve`.",
        )
        return 3
    context.answer(Control(context.paths).get(routes.STATUS), _status_words)
    return 0


def _status_words(status: Json) -> str:
    upstream, skills = status["upstream"], status["skills"]
    there = "answers" if upstream["ok"] else "does not answer"
    lines = [
        f"Lull {status['version']} runs at {status['address']} (process {status['pid']}).",
        f"Ollama at {upstream['address']} {there}."
        + (" The built-in model answers alone." if upstream["kind"] == "builtin" else ""),
        f"Skills: {skills['active']} active, generation {status['policy']['generation']}.",
        f"Recorded: {status['conversations']} conversations, {status['turns']} turns.",
        f"Learning: {status['learning']['state']}, because {status['learning']['because']}",
    ]
    lines += [f"Problem: {p['title']}: {p['detail']} {p['hint']}" for p in status["problems"]]
    return "\n".join(lines)


def stop(context: Context) -> None:
    control = Control(context.paths)
    control.post(routes.STOP, {})
    until = time.monotonic() + STOP_WITHIN_S
    while is_running(context.paths.lock):
        if time.monotonic() > until:
            raise LullError(
                f"Process {control.discovery.pid} is still there after {STOP_WITHIN_S:g} s.",
                hint=f"`kill {control.discovery.pid}` ends it; nothing recorded is lost.",
            )
        time.sleep(0.05)
    context.answer({"stopped": True}, lambda _: "Lull has stopped.")


def open_dashboard(context: Context) -> None:
    Control(context.paths)
    raise UsageError(
        "This version has no dashboard yet.", hint="`lull status`, `lull conversations` show it."
    )


def logs(context: Context) -> None:
    from lull.service.logs import FILE

    file = context.paths.logs / FILE
    if not file.exists():
        raise NotFound(f"There is no log at {file} yet.", hint="Start it with `lull serve`.")
    lines = file.read_text("utf-8", errors="replace").splitlines()[-context.options.lines :]
    for line in lines:
        _print_line(context, line)
    if context.options.follow:
        progress("lull: following; Ctrl-C ends it")
        _follow(context, file)


def _follow(context: Context, file: Path) -> None:
    source = file.open(encoding="utf-8", errors="replace")
    source.seek(0, 2)
    while True:
        line = source.readline()
        if line.endswith("\n"):
            _print_line(context, line.rstrip("\n"))
            continue
        if file.exists() and file.stat().st_ino != Path(f"/dev/fd/{source.fileno()}").stat().st_ino:
            source.close()  # it turned over
            source = file.open(encoding="utf-8", errors="replace")
        time.sleep(0.2)


def _print_line(context: Context, line: str) -> None:
    if context.as_json:
        print(line, flush=True)
        return
    try:
        said = json.loads(line)
        print(f"{said['at']} {said['level']:7} {said['part']}: {said['text']}", flush=True)
    except (ValueError, KeyError, TypeError):
        print(line, flush=True)


def doctor(context: Context) -> int:
    if found(context.paths) is None:
        from lull.cli.doctor import without_service

        document = without_service(context.paths)
    else:
        document = Control(context.paths).get(routes.DOCTOR)
    context.answer(document, _doctor_words)
    return 0 if all(check["ok"] for check in document["checks"]) else 1


def _doctor_words(document: Json) -> str:
    lines = []
    for check in document["checks"]:
        lines.append(f"{'ok  ' if check['ok'] else 'FAIL'}  {check['name']}: {check['text']}")
        if check["hint"]:
            lines.append(f"      {check['hint']}")
    return "\n".join(lines)
