"""Builds the text of a bug report: versions, results of Lull's self-check (`lull doctor`), changed
settings and the end of the log.

It contains no conversations, names of clients or secret addresses, and the user reads it before
sending it.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from lull.contract.json_object import Json

_URL: Final = re.compile(r"\b(?P<scheme>https?|webcals?)://(?P<rest>[^\s\"'<>)\]]+)", re.IGNORECASE)
_LOCAL: Final = re.compile(r"^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?(?=/|$)")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def bug_report(
    *,
    status: Json,
    checks: Sequence[Json],
    settings: Sequence[Json],
    log: Iterable[str],
    home: Path,
    user: str,
) -> str:
    """Return the whole bug report as text.

    `log` is raw lines of the log file; `home` (the data folder) and `user` are replaced in the
    text.
    """
    parts = {
        "System": [
            f"Lull {status.get('version', '?')}",
            platform.platform(),
            platform.python_version(),
        ],
        "Service": _facts(status),
        "Doctor": [f"{_mark(one)} {one['name']}: {one['text']} {one['hint']}" for one in checks],
        "Problems": [f"{p['title']}: {p['detail']}" for p in status.get("problems") or ()],
        "Settings that were changed": [
            f"{one['key']} = {one['value']!r}" for one in settings if one["value"] != one["default"]
        ],
        "Log": list(log),
    }
    text = "\n\n".join(
        "\n".join([f"== {title}", *(lines or ["–"])]) for title, lines in parts.items()
    )
    return redacted(text, home=home, user=user)


def _facts(status: Json) -> list[str]:
    """Return numbers and states from the service's status, but no names that the user chose."""
    upstream, learning = status.get("upstream") or {}, status.get("learning") or {}
    skills = status.get("skills") or {}
    facts: Mapping[str, object] = {
        "address": status.get("address"),
        "upstream": " ".join(str(upstream.get(key)) for key in ("kind", "version", "ok")),
        "learning": f"{learning.get('state')}: {learning.get('because')}",
        "skills": f"{skills.get('active')} active, {skills.get('proposals')} proposed",
        "conversations": status.get("conversations"),
        "turns": status.get("turns"),
        "generation": (status.get("policy") or {}).get("generation"),
    }
    conditions = [f"condition {one['name']}: {one['state']}" for one in learning.get("gates") or ()]
    return [f"{name}: {value}" for name, value in facts.items()] + conditions


def _mark(check: Json) -> str:
    if check["ok"]:
        return "ok"
    return "FAIL" if check.get("serious") else "note"


def redacted(text: str, *, home: Path, user: str) -> str:
    """Return a text with secrets, remote URLs, mail addresses, the path `home` and the user name
    replaced by placeholders.
    """
    numbers: dict[tuple[str, str], int] = {}
    # Imported late: its many patterns take the window a fifth of a second and some 10 MB.
    from lull.core.provenance.redaction import redact_text

    text = redact_text(
        text, lambda kind, secret: numbers.setdefault((kind, secret), len(numbers) + 1)
    )
    text = _URL.sub(_shortened, text)
    text = _MAIL.sub("⟨mail⟩", text)
    text = text.replace(str(home), "⟨home⟩")
    if len(user) > 1:
        text = re.sub(rf"(?<![\w-]){re.escape(user)}(?![\w-])", "⟨user⟩", text)
    return text


def _shortened(found: re.Match[str]) -> str:
    if _LOCAL.match(found["rest"]):
        return found[0]
    return f"{found['scheme']}://⟨elsewhere⟩"
