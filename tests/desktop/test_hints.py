"""Tests that no hint in the window tells anybody to type a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from lull.desktop.language.words import reword_for_window
from tests.paths import ROOT

APP = ROOT / "app" / "lull"
COMMAND = re.compile(r"`lull |(?<![\w-])--[a-z]")
ABOVE_THE_WINDOW = ("cli", "desktop", "trainer", "engine")


def told() -> Iterator[str]:
    """Yield each hint in the code below the window and the command line; x_1 is for its values."""
    for file in sorted(APP.rglob("*.py")):
        if file.relative_to(APP).parts[0] in ABOVE_THE_WINDOW:
            continue
        tree = ast.parse(file.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                yield from spoken(node.value)


def spoken(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.Constant) else "x_1" for one in node.values]
        yield "".join(map(str, parts))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from spoken(child)


@pytest.mark.slow
def test_no_hint_names_a_command_in_the_window() -> None:
    hints = [hint for hint in told() if COMMAND.search(hint)]
    assert len(hints) > 40
    for hint in hints:
        said = reword_for_window(hint)
        assert not COMMAND.search(said), (hint, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`lull logs` says why. Start Lull again.", "The Logs page says why. Start Lull again."),
        (
            "If it is yours, add it with --private.",
            "If it is yours, tick “This calendar is on my local network”.",
        ),
        (
            "Nobody's: add it with --private.",
            "Nobody's: add it with “This calendar is on my local network” ticked.",
        ),
        ("See `lull trash`.", "The trash opens from the Conversations page."),
        (
            "Nothing is lost. See `lull trash`.",
            "Nothing is lost. The trash opens from the Conversations page.",
        ),
        ("It waits; see `lull logs`.", "It waits; see the Logs page."),
        ("It waits; `lull doctor` says why.", "It waits. “Run checks” on the Logs page says why."),
        (
            "Unlock one; or `lull settings set secrets.file_fallback true` keeps it in a file.",
            "Unlock one; or “secrets.file_fallback = true” in Settings keeps it in a file.",
        ),
        ("Try `lull trash`.", ""),
        ("Start it with `ollama serve`.", "Start it with `ollama serve`."),
        (
            "Its size is records.trash_mb; `lull trash empty --yes` empties it.",
            "Its size is records.trash_mb.",
        ),
        ("It waits; `lull logs` says why.", "It waits; the Logs page says why."),
        ("Nothing is lost.", "Nothing is lost."),
        ("Compare a - b and the file `x.toml`.", "Compare a - b and the file `x.toml`."),
    ],
)
def test_commands_become_places(text: str, said: str) -> None:
    assert reword_for_window(text) == said
