"""The chat clients of the played week: connected, drifted, not connected, missing, or by hand."""

from __future__ import annotations

from typing import Any

from lull.contract.json_object import Json


def clients() -> Json:
    return {
        "address": "http://127.0.0.1:11435",
        "clients": [
            _client("aider", "aider", version="0.86.2", connected=True, known=True),
            _client("continue", "Continue", version="1.5.47", drifted=True, known=True),
            _client("zed", "Zed"),
            _client("codex", "Codex CLI", found=False),
            _client(
                "cline",
                "Cline and Roo Code",
                writable=False,
                by_hand="In its panel: Settings, API Provider “Ollama”, tick “Use custom base "
                "URL”, write http://127.0.0.1:11435, choose a model.",
            ),
        ],
    }


def _client(name: str, title: str, **more: Any) -> Json:
    return {
        "name": name,
        "title": title,
        "found": True,
        "version": None,
        "files": [f"/home/me/.config/{name}/settings.json"],
        "connected": False,
        "drifted": False,
        "unreadable": False,
        "writable": True,
        "by_hand": "",
        "tested_with": "",
        "note": "",
        "known": False,
        **more,
    }
