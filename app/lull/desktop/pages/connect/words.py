"""What the window says of chat apps and their connections."""

from __future__ import annotations

from typing import Any

from lull.desktop.words import plain, tr

Json = dict[str, Any]


def is_listed(view: Json) -> bool:
    """Whether a client is installed here, or was connected."""
    return bool(view["found"] or view["connected"] or view["known"])


def state_chip(view: Json) -> tuple[str, str]:
    """How a client stands to Lull, and the kind of its chip."""
    if view["unreadable"]:
        return tr("Its settings can't be read"), "bad"
    if view["drifted"]:
        return tr("No longer connected"), "warn"
    if view["connected"]:
        return tr("Connected"), "good"
    return (tr("Not connected"), "plain") if view["writable"] else (tr("By hand"), "plain")


def files_words(view: Json) -> str:
    """Which files a client's settings are in, and whether somebody changed them since."""
    files = plain(", ".join(view["files"]))
    return tr("Its settings were changed: %1", files) if view["drifted"] else files


def test_words(test: Json) -> tuple[str, bool]:
    """How a test went, and whether it went well."""
    if not test.get("ok"):
        return tr("The test failed: %1", plain(" ".join(str(test.get("why", "")).split()))), False
    answer = plain(" ".join(str(test["answer"]).split())[:160])
    return tr("It works: %1 answered “%2”", plain(str(test["model"])), answer), True
