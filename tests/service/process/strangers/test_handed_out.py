"""Tests that no secret a real service was told is in anything that a user hands to others."""

from __future__ import annotations

import json

import pytest

from lull.desktop.shared.diagnostics import bug_report
from tests.backends.calendars.server import answer, calendar_server
from tests.backends.calendars.texts import MEETING, calendar
from tests.building import bytes_below
from tests.running import Lull, eventually

pytestmark = pytest.mark.slow

KEY = "sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A"
PASSWORD = "Tr0ub4dor-horse-quartz"
FEED = "calendar-quartzprivate0123456789"
GONE = "https://127.0.0.1:9"
TOLD = (("conversations",), ("show",), ("logs",), ("calendar", "list"), ("lulls",))
MODEL = f"no-such-model-{KEY}"


def test_no_secret_is_in_diagnostics_exports_or_logs(lull: Lull) -> None:
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text("[secrets]\nfile_fallback = true\n")
    service = lull.serve()
    service.chat(f"my key is {KEY} and my password is {PASSWORD}")
    # The secrets also stand in places that end up in errors and in names.
    body = {"model": MODEL, "stream": False, "messages": [{"role": "user", "content": KEY}]}
    service.post("/api/chat", body, {"X-Lull-Session": PASSWORD, "User-Agent": KEY})
    service.get(f"/c/{KEY}/api/tags")
    assert lull.run("calendar", "add", f"{GONE}/{FEED}/basic.ics", "--means", "busy").code == 1
    with calendar_server(None) as feeds:
        url = feeds.serve(f"/{FEED}/basic.ics", answer(calendar(MEETING)))
        lull.ask("calendar", "add", url, "--means", "busy", "--private")
    lull.run("skills", "add", "with-key", "--description", "d", "--body", f"Use {KEY}.")
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "Join with bars.")
    eventually(lambda: lull.ask("conversations")["conversations"])

    target = lull.home.parent / "exported"
    lull.ask("skills", "export", str(target))
    status, settings = lull.ask("status"), lull.ask("settings")["settings"]
    checks = lull.run("doctor", "--json").json["checks"]
    log = (lull.home / "logs" / "service.log").read_text()
    given = bug_report(
        status=status,
        checks=checks,
        settings=settings,
        log=log.splitlines(),
        home=lull.home,
        user="anna",
    )
    told = "".join(lull.run(*words).out for words in TOLD)
    exported = b"".join(data for _, data in bytes_below(target)).decode()
    assert "Join with bars" in exported and "Lull" in given
    texts = {
        "diagnostics": given,
        "status": json.dumps(status),
        "doctor": json.dumps(checks),
        "log": log,
        "told": told,
        "exported": exported,
    }
    for secret in (KEY, PASSWORD, FEED):
        assert [name for name, text in texts.items() if secret in text] == [], secret
    service.stop()
    kept = {path.name for path, data in bytes_below(lull.home) if FEED.encode() in data}
    assert kept == {"secrets.json"}
    for secret in (KEY, PASSWORD):
        assert [str(p) for p, data in bytes_below(lull.home) if secret.encode() in data] == []
