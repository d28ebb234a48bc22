"""Tests that no secret a real service was told is in anything that a user hands to others."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from lull.desktop.shared.diagnostics import bug_report
from tests.backends.calendars.server import answer, calendar_server
from tests.backends.calendars.texts import MEETING, calendar
from tests.building import bytes_below
from tests.eventually import eventually
from tests.running import Lull

pytestmark = pytest.mark.slow

SKILL = "---\nname: {}\ndescription: When a menu is asked for.\n---\n\n{}\n"
KEY = "sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A"
PASSWORD = "Tr0ub4dor-horse-quartz"
PASSWORD_IS = f"password: {PASSWORD}"
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


def skill_folder(folder: Path, name: str, **files: bytes) -> Path:
    """Make a skill folder with these files beside its SKILL.md, in a subfolder."""
    (folder / name / "config").mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(SKILL.format(name, "Join with bars."))
    for file, data in files.items():
        (folder / name / "config" / file).write_bytes(data)
    return folder / name


@pytest.mark.parametrize("wide", [False, True])
def test_a_skill_with_a_secret_beside_it_is_not_taken_in(
    lull: Lull, tmp_path: Path, wide: bool
) -> None:
    secret = f"# settings\ntoken = {KEY}\n".encode("utf-16" if wide else "utf-8")
    theirs = skill_folder(tmp_path, "menu-style", harmless=b"a = 1\n", env=secret)
    service = lull.serve()
    ran = lull.run("skills", "import", str(theirs))
    assert ran.code != 0 and "menu-style/config/env:2 (openai key)" in ran.err
    assert KEY not in ran.err
    assert lull.ask("review", "list")["proposals"] == []
    (theirs / "config" / "env").write_bytes(b"a = 2\n")
    (made,) = lull.ask("skills", "import", str(theirs))["proposals"]
    lull.ask("review", "approve", made["id"], "--sha256", made["sha256"])
    service.stop()
    assert [path for path, data in bytes_below(lull.home) if KEY.encode() in data] == []


@pytest.mark.full
def test_a_dropped_skill_waits_until_the_secret_beside_it_is_gone(lull: Lull) -> None:
    service = lull.serve()
    working = lull.home / "library" / "skills" / "everybody"
    folder = skill_folder(working, "menu-style", env=f"token = {KEY}\n".encode())
    lull.ask("skills", "list")
    (made,) = eventually(lambda: lull.ask("review", "list")["proposals"])
    (flag,) = [one for one in made["flags"] if one["kind"] == "secret"]
    assert flag["quote"] == "menu-style/config/env:1 (openai key)"
    approve = ("review", "approve", made["id"], "--sha256", made["sha256"])
    ran = lull.run(*approve)
    assert ran.code != 0 and "There is a secret beside the skill" in ran.err
    assert lull.ask("skills", "list")["skills"] == []
    (folder / "config" / "env").unlink()
    lull.ask(*approve)
    assert [one["name"] for one in lull.ask("skills", "list")["skills"]] == ["menu-style"]
    service.stop()


def test_a_secret_put_beside_a_skill_is_in_no_copy_export_or_backup(
    lull: Lull, tmp_path: Path
) -> None:
    service = lull.serve()
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "Join with bars.")
    lull.ask("skills", "add", "edited", "--description", "d", "--body", "Join with bars.")
    working = lull.home / "library" / "skills" / "everybody"
    (working / "menu-style" / "notes.txt").write_text("the oven is hot\n")
    (working / "menu-style" / "env").write_text(f"token = {KEY}\n")
    (working / "edited" / "SKILL.md").write_text(SKILL.format("edited", f"Use {PASSWORD_IS}."))
    target = tmp_path / "exported"
    for words in (
        ("skills", "export", str(target), "menu-style"),
        ("skills", "copy", "menu-style", "--to", "zed"),
    ):
        ran = lull.run(*words)
        assert ran.code != 0 and "menu-style/env:1 (openai key)" in ran.err, words
    assert not target.exists()
    made = lull.ask("backup", str(tmp_path / "b.zip"))
    assert made["odd"] == ["library/skills/everybody/menu-style/env"]
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        data = {name: packed.read(name) for name in packed.namelist()}
    assert [
        name for name, one in data.items() if KEY.encode() in one or PASSWORD.encode() in one
    ] == []
    assert data["library/skills/everybody/menu-style/notes.txt"] == b"the oven is hot\n"
    assert b"secret:" in data["library/skills/everybody/edited/SKILL.md"]
    words = lull.run("backup", str(tmp_path / "c.zip")).out
    assert "files of skills with a secret in them, not in it: library/skills/everybody" in words
    (working / "menu-style" / "env").unlink()
    lull.ask("skills", "export", str(target), "menu-style")
    assert (target / "menu-style" / "notes.txt").exists()
    service.stop()
