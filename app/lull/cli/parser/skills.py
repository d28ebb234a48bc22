"""Defines the arguments and help texts of `lull skills` and `lull verify`, which manage skills
(instruction texts) and recheck the proof that one helps.
"""

from __future__ import annotations

import argparse

from lull.cli.parser.base import Commands, Parser, add_command, count, folder, whole

CLIENTS = """\
A skill without a client applies to everything that uses Lull's plain address: curl,
ollama-python, any program. A skill with --client C applies only to requests at the address
/c/C/, and such a client uses no other skills.
Only `lull skills copy NAME --to C` shares a skill between them."""

VERIFY = """\
Checks the skill's evidence.json: that it belongs to exactly this text, that its wins, losses and
e-value follow from its replays, and that the proof stopped when its rule says.
--json prints {holds, why}. A skill that you wrote yourself has no proof, so `holds` is false.
The exit code is 0 whether or not the proof holds; with --strict it is 1 if it does not."""


ROLLBACK = """\
Every skill gets back the text and state that it had in that generation: active or disabled,
pinned or not, deleted or present. The default is the one before the last change, whatever it
was: after `disable` it enables the skill again. Skills made since then move to the archive. A
rollback is a new generation too, so nothing is lost, and a second one undoes the first."""


def skill_commands(commands: Commands) -> None:
    """Add the command `lull skills` and its actions to the parser."""
    skills = add_command(
        commands, "skills", "list and change the skills that the model was taught", CLIENTS
    )
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
    listed = add_command(
        actions,
        "list",
        "list the skills, active and disabled",
        "Without --client, those of all clients. `lull skills` alone does the same.",
    )
    listed.add_argument("--all", action="store_true", help="include deleted ones")
    shown = add_command(
        actions,
        "show",
        "show one skill, and how its effect is measured",
        "What a skill that Lull wrote does is measured by answering past requests without it\n"
        "while you are away. Where nothing can score such answers, a small share of new\n"
        "conversations goes without it, and this says so.",
    )
    shown.add_argument("name", metavar="NAME")
    history = add_command(actions, "history", "list all generations, or the versions of one skill")
    history.add_argument("name", metavar="NAME", nargs="?", default="")
    diff = add_command(
        actions, "diff", "show what changed between two versions", "By default the last two."
    )
    diff.add_argument("name", metavar="NAME")
    diff.add_argument("old", metavar="FROM", nargs="?", type=count, help="a version's number")
    diff.add_argument("new", metavar="TO", nargs="?", type=count, help="a version's number")


def _texts(actions: Commands) -> None:
    added = add_command(
        actions,
        "add",
        "add a skill, used from your next message on",
        CLIENTS,
    )
    added.add_argument("name", metavar="NAME", help="a-z, 0-9 and hyphens, such as menu-style")
    edited = add_command(
        actions,
        "edit",
        "change a skill's text",
        "Makes a new version. What you leave out stays as it is.",
    )
    edited.add_argument("name", metavar="NAME")
    for parser in (added, edited):
        text_options(parser, needed=parser is added)
        parser.add_argument("--pin", action="store_true", help="use it in every conversation")


def _switches(actions: Commands) -> None:
    for name, text in (
        ("pin", "use a skill in every conversation"),
        ("unpin", "use a skill only when it fits the request"),
        ("disable", "keep a skill without using it"),
        ("enable", "use a disabled skill again"),
        ("delete", "move a skill to the archive"),
    ):
        add_command(actions, name, text).add_argument("name", metavar="NAME")
    back = add_command(
        actions,
        "rollback",
        "go back to an earlier generation of all skills",
        ROLLBACK,
    )
    back.add_argument("generation", metavar="GENERATION", nargs="?", type=whole)


def _folders(actions: Commands) -> None:
    copied = add_command(actions, "copy", "share a skill with another client", CLIENTS)
    copied.add_argument("name", metavar="NAME")
    copied.add_argument(
        "--to", metavar="C", default="", help="the client to share it with (default: everybody)"
    )
    brought = add_command(
        actions,
        "import",
        "import a skill folder, or a folder of them",
        "Each skill becomes a suggestion, and is used only after you have approved it in\n"
        "`lull review`; only the starter skills are used at once. If one SKILL.md is broken, its\n"
        "line is named and nothing is imported.\n"
        "Skills that you already have, word for word, stay as they are.",
    )
    brought.add_argument(
        "folder",
        metavar="DIR",
        type=folder,
        help="a folder, or 'starter' for the skills that come with Lull",
    )
    taken = add_command(actions, "export", "export skills as folders")
    taken.add_argument("folder", metavar="DIR", type=folder)
    taken.add_argument("names", metavar="NAME", nargs="*", help="export only these")


def verify_command(commands: Commands) -> None:
    """Add the command `lull verify` to the parser."""
    verified = add_command(
        commands, "verify", "check again whether a skill's tests prove it", VERIFY
    )
    verified.set_defaults(client=None)
    verified.add_argument("skill", metavar="SKILL", help="the skill's name")
    client_option(verified)
    verified.add_argument(
        "--strict", action="store_true", help="exit with 1 if the tests do not prove the skill"
    )


def client_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--client` to a command."""
    parser.add_argument(
        "--client",
        metavar="C",
        default=argparse.SUPPRESS,
        help="for client C alone, which connects to …/c/C/",
    )


def text_options(parser: argparse.ArgumentParser, *, needed: bool) -> None:
    """Add the options for a skill's description and body to a command."""
    parser.add_argument(
        "--description",
        metavar="T",
        required=needed,
        help="when the skill applies, in one sentence",
    )
    parser.add_argument(
        "--body",
        metavar="T|@FILE|-",
        required=needed,
        help="what the model should do; @FILE reads a file, - reads stdin",
    )
