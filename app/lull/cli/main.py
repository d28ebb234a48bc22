"""Entry point of `lull`: parses the arguments, runs the command and reports errors in one line.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the command needs a running service.
A closed stdout or stderr and a closed pipe are not failures (0). Output that does not fit on the
disk is a failure (1, with a line on stderr), in every release of Python.
Heavy imports wait until the command is known, so that `lull --help` is quick.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from lull.core.errors import LullError, SystemRefused, UsageError

if TYPE_CHECKING:
    from lull.cli.shared.context import Context

    Command = Callable[[Context], int | None]


_UNHEARD = logging.NullHandler()
"""Swallows log records: only the service logs, and a command reports errors in one line."""


def entry() -> NoReturn:
    """Run the command line of this process, and end the process with its exit code."""
    code = main()
    if any(thread.daemon for thread in threading.enumerate()):
        # Not by taking down the interpreter: a thread that is in a library's own code and comes
        # back from it would crash the process. What must be kept is on disk by now.
        logging.shutdown()
        with contextlib.suppress(OSError):
            _flush()  # what was printed before Ctrl-C
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line of `lull` and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    # Whatever this process and those that it starts will write is closed to others.
    os.umask(0o077)
    _prepare_streams()
    logging.getLogger().addHandler(_UNHEARD)
    try:
        code = _run(words)
        _flush()
        return code
    except LullError as error:
        return _fail(error, as_json="--json" in words)
    except BrokenPipeError:
        # The reader of our output closed the pipe (`lull logs | head`): not a failure.
        _forget_stdout()
        return 0
    except OSError as error:
        return _fail(SystemRefused.because(error), as_json="--json" in words)
    except KeyboardInterrupt:
        return 130


def _run(words: Sequence[str]) -> int:
    if (code := _own_process(words)) is not None:
        return code
    for word in words:
        if not word.isprintable() and any("\ud800" <= c <= "\udfff" for c in word):
            raise UsageError(f"{word!r} is not UTF-8.", hint="Check your terminal's encoding.")
    from lull.cli.parser.whole import parse
    from lull.cli.shared.context import Context
    from lull.config.paths import Paths
    from lull.store.disk.leftovers import RESTORING

    try:
        options = parse(words)
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    paths = Paths.from_environment(os.environ, sys.platform, home=options.home)
    if (paths.home / RESTORING).exists():
        from lull.cli.backups.backup import finish_restore

        finish_restore(paths)
    context = Context(paths=paths, options=options, as_json=options.json)
    return _command(str(options.command or "open"))(context) or 0


def _own_process(words: Sequence[str]) -> int | None:
    """Run one of the processes that Lull starts by itself; None if the words are a user's.

    In a frozen app all processes run this program. These words are not for users.
    """
    match words:
        case ["engine", *rest]:
            from lull.engine.main import main as engine

            return engine(rest)
        case ["trainer", *rest]:
            from lull.trainer.main import main as trainer

            return trainer(rest)
        case ["read-calendar", *rest]:
            from lull.backends.calendars.child import main as read_calendar

            return read_calendar(rest)
        case ["keep-vectors", *rest]:
            from lull.backends.retrieval.chroma_child import main as keep_vectors

            return keep_vectors(rest)
        case ["read-long", *rest]:
            from lull.service.proxy.long.child import main as read_long

            return read_long(rest)
        case ["stand-in", *rest]:
            from lull.service.entry.stand_in import main as stand_in

            return stand_in(rest)
        case ["read-feedback", *rest]:
            from lull.engine.reader.main import main as read_feedback

            return read_feedback(rest)
        case ["work-on-weights", *rest]:
            from lull.backends.mlx.weights_child import main as work_on_weights

            return work_on_weights(rest)
    return None


def _command(name: str) -> Command:
    from lull.cli.adapters import adapters
    from lull.cli.backups import backup
    from lull.cli.calendars import calendar
    from lull.cli.chat import ask, conversations, forget, trash
    from lull.cli.clients import connect
    from lull.cli.demo import walk as demo
    from lull.cli.feedback import rate, read
    from lull.cli.idle import lulls
    from lull.cli.models import model
    from lull.cli.process import service, settings, window
    from lull.cli.proof import prove, verify
    from lull.cli.skills import review, skills
    from lull.cli.training import train

    commands: dict[str, Command] = {
        "serve": service.serve,
        "status": service.status,
        "stop": service.stop,
        "open": window.open_dashboard,
        "logs": service.logs,
        "doctor": service.doctor,
        "ask": ask.ask,
        "conversations": conversations.conversations,
        "show": conversations.show,
        "rate": rate.rate,
        "read": read.read,
        "skills": skills.skills,
        "review": review.review,
        "prove": prove.prove,
        "verify": verify.verify,
        "why": lulls.why,
        "pause": lulls.pause,
        "resume": lulls.resume,
        "calendar": calendar.calendar,
        "train": train.train,
        "forget": forget.forget,
        "trash": trash.trash,
        "backup": backup.backup,
        "restore": backup.restore,
        "model": model.model,
        "adapters": adapters.adapters,
        "settings": settings.settings,
        "connect": connect.connect,
        "demo": demo.demo,
    }
    return commands[name]


def _fail(error: LullError, *, as_json: bool) -> int:
    try:
        if as_json:
            print(json.dumps({"error": error.as_dict()}))
        # What a full disk did not take is still buffered: some patch releases of Python try
        # again when they exit, and exit with 120.
        _flush()
    except OSError:
        _forget_stdout()
    if sys.stderr is not None:
        from lull.cli.shared.own_command import as_called
        from lull.cli.shared.showing import reveal_hidden

        line = as_called(reveal_hidden(" ".join(f"lull: {error}".split())), sys.argv[0], os.environ)
        print(line, file=sys.stderr)
    return error.exit_code


def _prepare_streams() -> None:
    """Fill closed standard descriptors, and let streams escape what their encoding lacks.

    Otherwise the next file opened would get the number of the closed stream.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _forget_stdout() -> None:
    """Point stdout at the null device, because Python flushes it again at exit and would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    entry()
