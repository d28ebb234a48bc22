"""`lull`: reads the words, calls the command, puts failures into one line and an exit code.

0 done · 1 failed · 2 wrong usage · 3 the service is not running and the command needs it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from lull.cli.context import Context
from lull.cli.parser import build
from lull.config.paths import Paths
from lull.core.errors import LullError, UsageError

Command = Callable[[Context], int | None]


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else list(argv)
    as_json = "--json" in words
    try:
        return _run(words)
    except LullError as error:
        if as_json:
            print(json.dumps({"error": error.as_dict()}, ensure_ascii=False))
        print(f"lull: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output left (`lull logs | head`): that is no failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: Sequence[str]) -> int:
    if words and words[0] == "engine":
        # In a frozen app every process is this program: the engine's role, not for people.
        from lull.engine.main import main as engine

        return engine(words[1:])
    parser = build()
    options = parser.parse_args(words)
    paths = Paths.from_environment(os.environ, sys.platform, home=options.home)
    context = Context(paths=paths, options=options, as_json=options.json)
    if options.command is None:
        parser.print_help()
        return 0
    return _command(options)(context) or 0


def _command(options: Any) -> Command:
    from lull.cli import conversations, service, settings, skills

    commands: dict[str, Command] = {
        "serve": service.serve,
        "status": service.status,
        "stop": service.stop,
        "open": service.open_dashboard,
        "logs": service.logs,
        "doctor": service.doctor,
        "conversations": conversations.conversations,
        "show": conversations.show,
        "rate": conversations.rate,
        "skills": skills.skills,
        "settings": settings.settings,
    }
    command = commands.get(options.command)
    if command is None:
        raise UsageError(f"{options.command} is no command.")
    return command


if __name__ == "__main__":
    sys.exit(main())
