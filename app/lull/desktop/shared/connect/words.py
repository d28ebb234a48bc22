"""The window's texts about chat apps and their connections to Lull."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lull.contract.json_object import Json
from lull.desktop.language.words import plain, tr, translated

SHELL: Final = "environment"
"""Name of the client whose settings file is the one that the user's shell reads at its start."""


def is_listed(view: Json) -> bool:
    """Whether a chat app belongs in the window's list: it is installed here, or is or was connected
    to Lull.
    """
    return bool(view["found"] or view["connected"] or view["known"])


def state_chip(view: Json) -> tuple[str, str]:
    """Return the text and the style of the chip (a small coloured label) that says whether a chat
    app is connected to Lull.
    """
    if view["unreadable"]:
        return tr("Needs one change by hand"), "warn"
    if view["drifted"]:
        return tr("No longer connected"), "warn"
    if view["connected"]:
        return tr("Connected"), "good"
    return (tr("Not connected"), "plain") if view["writable"] else (tr("Connect by hand"), "plain")


def files_words(view: Json) -> str:
    """Return the names of a chat app's settings files as a text, which says so if anybody else has
    changed them since Lull wrote them.
    """
    files = ", ".join(file_words(view, file) for file in view["files"])
    return tr("Its settings were changed: %1", files) if view["drifted"] else files


def file_words(view: Json, path: str) -> str:
    """Return the name of a settings file of a chat app as a person reads it: below the home folder
    with ~, and that of a shell by what it is.
    """
    file = Path(path)
    short = f"~/{file.relative_to(Path.home()).as_posix()}" if _is_at_home(file) else path
    if view["name"] == SHELL:
        return tr("your shell's start file (%1)", plain(short))
    return plain(short)


def _is_at_home(file: Path) -> bool:
    return file.is_relative_to(Path.home())


def test_words(test: Json, title: str) -> tuple[str, bool]:
    """Describe the result of testing the connection of the chat app called `title` to Lull: which
    model was asked, and which one answered; also return whether the test succeeded.
    """
    asked = plain(str(test.get("model") or ""))
    why = tr("Lull doesn't know which model %1 asks for, so it asked %2.", title, asked)
    if test.get("from_client"):
        why = tr("Lull asked %1, the model that the settings of %2 name.", asked, title)
    if not test.get("ok"):
        failure = " ".join(translated(test, "why").split())
        return f"{tr('The test failed. %1', failure)} {why if asked else ''}".strip(), False
    said = plain(" ".join(str(test["answer"]).split())[:160])
    by = plain(str(test.get("answered_by") or asked))
    answer = (
        tr("The model answered: “%1”", said) if by == asked else tr("%1 answered: “%2”", by, said)
    )
    return f"{tr('It works.')} {why} {answer}", True
