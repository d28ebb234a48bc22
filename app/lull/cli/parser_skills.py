"""The words of `lull skills` and `lull verify`: what the model was taught, and whether it is so."""

from __future__ import annotations

import argparse

from lull.cli.parser_base import Commands, Parser, command, count, folder, whole

CLIENTS = """\
A skill without a client is for everybody at the plain address: curl, ollama-python, any
program, whatever it calls itself. With --client C it is only for the client kept apart at
/c/C/, which sees its own skills and no others.
`lull skills copy NAME --to C` shares a skill, and nothing else does."""

VERIFY = """\
Works out the skill's evidence.json again: that it is about this very text, that its wins,
losses and e-value follow from its replays, and that the proof stopped where its rule says.
With --json: {holds, why}. A skill that you wrote yourself has no proof, so holds is false.
Exits 0 when it could look, whatever it found; with --strict 1 when the proof does not hold."""


ROLLBACK = """\
Every skill gets the text and the state that it had then: active or disabled, pinned or not,
deleted or there. By default as before the last change, whatever that was: after `disable`
it enables again. Skills made since go to the archive. This is a new generation, too, so
nothing is lost, and rolling back twice is there and back again."""


def skill_commands(commands: Commands) -> None:
    skills = command(commands, "skills", "what the model was taught", CLIENTS)
    skills.set_defaults(client=None, all=False)
    client_option(skills)
    actions = skills.add_subparsers(
        dest="action", metavar="ACTION", title="actions", parser_class=Parser
    )
    _reading(actions)
    _texts(actions)
    _switches(actions)
    _folders(actions)
    for parser in actions.choices.values():
        client_option(parser)


def _reading(actions: Commands) -> None:
    listed = command(
        actions,
        "list",
        "the skills, active and disabled",
        "Without --client those of every client; what you get with no action, too.",
    )
    listed.add_argument("--all", action="store_true", help="deleted ones, too")
    history = command(actions, "history", "the generations, or one skill's versions")
    history.add_argument("name", metavar="NAME", nargs="?", default="")
    diff = command(
        actions, "diff", "what changed between two versions", "By default the newest two."
    )
    diff.add_argument("name", metavar="NAME")
    diff.add_argument("old", metavar="FROM", nargs="?", type=count, help="a version's number")
    diff.add_argument("new", metavar="TO", nargs="?", type=count, help="a version's number")


def _texts(actions: Commands) -> None:
    added = command(
        actions,
        "add",
        "add a skill: a new generation, in force from the next conversation",
        CLIENTS,
    )
    added.add_argument("name", metavar="NAME", help="a-z, 0-9 and hyphens, such as menu-style")
    edited = command(
        actions, "edit", "change a skill's text: its next version", "What is not given stays."
    )
    edited.add_argument("name", metavar="NAME")
    for parser in (added, edited):
        text_options(parser, needed=parser is added)
        parser.add_argument("--pin", action="store_true", help="put it into every conversation")


def _switches(actions: Commands) -> None:
    for name, text in (
        ("pin", "put it into every conversation"),
        ("unpin", "only where it fits the request"),
        ("disable", "keep it, use it no longer"),
        ("enable", "use it again"),
        ("delete", "move it to the archive"),
    ):
        command(actions, name, text).add_argument("name", metavar="NAME")
    back = command(
        actions,
        "rollback",
        "make the library read as it did before",
        ROLLBACK,
    )
    back.add_argument("generation", metavar="GENERATION", nargs="?", type=whole)


def _folders(actions: Commands) -> None:
    copied = command(actions, "copy", "share a skill with another client", CLIENTS)
    copied.add_argument("name", metavar="NAME")
    copied.add_argument("--to", metavar="C", default="", help="a client; nothing for everybody")
    brought = command(
        actions,
        "import",
        "take in a skill folder, or a folder of them",
        "All of them or none: a broken SKILL.md is named with its line and nothing is taken in."
        " What is there already, word for word, stays as it is and is said to be unchanged.",
    )
    brought.add_argument(
        "folder", metavar="DIR", type=folder, help="'starter' for the set that comes with Lull"
    )
    taken = command(actions, "export", "write the skills as folders")
    taken.add_argument("folder", metavar="DIR", type=folder)
    taken.add_argument("names", metavar="NAME", nargs="*", help="only these")


def verify_command(commands: Commands) -> None:
    verified = command(commands, "verify", "look again at what proved a skill", VERIFY)
    verified.set_defaults(client=None)
    verified.add_argument("skill", metavar="SKILL", help="its name")
    client_option(verified)
    verified.add_argument("--strict", action="store_true", help="exit 1 when it does not hold")


def client_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--client",
        metavar="C",
        default=argparse.SUPPRESS,
        help="of the client kept apart at /c/C/",
    )


def text_options(parser: argparse.ArgumentParser, *, needed: bool) -> None:
    parser.add_argument(
        "--description", metavar="T", required=needed, help="when it applies, in one sentence"
    )
    parser.add_argument(
        "--body",
        metavar="T|@FILE|-",
        required=needed,
        help="what to do; @FILE reads a file, - reads stdin",
    )
