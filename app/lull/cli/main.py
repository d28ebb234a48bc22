"""`lull`: reads the words, calls the command, puts failures into one line and an exit code.

0 done · 1 failed · 2 wrong usage · 3 the service is not running and the command needs it.
A closed stdout or stderr, and a reader that left, are no failure (0); an output that the disk has
no room for is one (1), with its line on stderr: alike in every release of Python.
Heavy imports wait until a command is known: `lull --help` shall be quick.
"""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from lull.core.errors import LullError, UsageError

if TYPE_CHECKING:
    from lull.cli.context import Context

    Command = Callable[[Context], int | None]


_UNHEARD = logging.NullHandler()
"""Log lines are for the service's file. A command says what is wrong in its one line."""


class SystemRefused(LullError):
    """What the operating system would not do, where no command has better words for it."""

    title: ClassVar[str] = "The system refused"


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else list(argv)
    _prepare_streams()
    logging.getLogger().addHandler(_UNHEARD)
    try:
        code = _run(words)
        _flush()
        return code
    except LullError as error:
        return _fail(error, as_json="--json" in words)
    except BrokenPipeError:
        # The reader of our output left (`lull logs | head`): that is no failure.
        _forget_stdout()
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        refused = SystemRefused(
            f"{where}{error.strerror or error}.",
            hint="Check the file, the disk, and who may use them.",
        )
        return _fail(refused, as_json="--json" in words)
    except KeyboardInterrupt:
        return 130


def _run(words: Sequence[str]) -> int:
    if words and words[0] == "engine":
        # In a frozen app every process is this program: the engine's role, not for people.
        from lull.engine.main import main as engine

        return engine(words[1:])
    if words and words[0] == "trainer":
        from lull.trainer.main import main as trainer

        return trainer(words[1:])
    if words and words[0] == "read-calendar":
        from lull.backends.ics_child import main as read_calendar

        return read_calendar(words[1:])
    if words and words[0] == "read-feedback":
        from lull.engine.reader.main import main as read_feedback

        return read_feedback(words[1:])
    if words and words[0] == "work-on-weights":
        from lull.backends.weights_child import main as work_on_weights

        return work_on_weights(words[1:])
    for word in words:
        if not word.isprintable() and any("\ud800" <= c <= "\udfff" for c in word):
            raise UsageError(f"{word!r} is not UTF-8.", hint="Check your terminal's encoding.")
    from lull.cli.context import Context
    from lull.cli.parser import parse
    from lull.config.paths import Paths

    try:
        options = parse(words)
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    paths = Paths.from_environment(os.environ, sys.platform, home=options.home)
    context = Context(paths=paths, options=options, as_json=options.json)
    return _command(str(options.command or "open"))(context) or 0


def _command(name: str) -> Command:
    from lull.cli import (
        adapters,
        ask,
        calendar,
        conversations,
        demo,
        forget,
        lulls,
        model,
        prove,
        read,
        review,
        service,
        settings,
        skills,
        train,
        verify,
        window,
    )

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
        "rate": conversations.rate,
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
        "model": model.model,
        "adapters": adapters.adapters,
        "settings": settings.settings,
        "demo": demo.demo,
    }
    return commands[name]


def _fail(error: LullError, *, as_json: bool) -> int:
    try:
        if as_json:
            print(json.dumps({"error": error.as_dict()}))
        # What a full disk did not take is still there: some patch releases of Python try once
        # more at their end, and exit with 120.
        _flush()
    except OSError:
        _forget_stdout()
    if sys.stderr is not None:
        from lull.cli.own_command import as_called
        from lull.cli.showing import revealed

        line = as_called(revealed(" ".join(f"lull: {error}".split())), sys.argv[0], os.environ)
        print(line, file=sys.stderr)
    return error.exit_code


def _prepare_streams() -> None:
    """A closed stream's number must not go to the next file that is opened; and a sign that a
    terminal cannot show is no reason to fail."""
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
    """Python flushes stdout once more at its end, and would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
