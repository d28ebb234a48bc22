"""Tests that removing Lull as README.md says leaves nothing that was said in the user's folders.

These are the home, the configuration, the caches and the temporary folder, empty before.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from lull.desktop.pages.settings.wiping import KEPT_NAMES, delete_data_files
from lull.desktop.shared.diagnostics import bug_report
from tests.backends.calendars.server import answer, calendar_server
from tests.backends.calendars.texts import MEETING, calendar
from tests.building import bytes_below
from tests.eventually import eventually
from tests.running import Lull, RunningLull, nobodys_port
from tests.zygote import started

pytestmark = pytest.mark.full

KEY = "sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A"
PASSWORD = "Tr0ub4dor-horse-quartz"
FEED = "calendar-quartzprivate0123456789"
WORDS = "marzipanobelisk"
"""Words that are no secret, so they are stored as they were said."""
SKILL = "zwieback-style"
XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


@dataclass(slots=True)
class User(Lull):
    """A user with home and temporary folders of their own; no variable names Lull's folder."""

    me: Path = Path()

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        told = Lull.environment(self, more)
        for name in ("LULL_HOME", *XDG):
            told.pop(name, None)
        runtime, temporary = self.me / "runtime", self.me / "tmp"
        return {
            **told,
            "HOME": str(self.me),
            "XDG_RUNTIME_DIR": str(runtime),
            "TMPDIR": str(temporary),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            "SHELL": "/bin/bash",
        }

    def everywhere(self) -> list[tuple[Path, bytes]]:
        """Return every file in the user's folders with its bytes, also those in a backup."""
        found = []
        for path, data in bytes_below(self.me):
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as packed:
                    found += [(path / name, packed.read(name)) for name in packed.namelist()]
            found.append((path, data + str(path).encode()))
        return found

    def holding(self, *words: str) -> list[str]:
        return sorted(
            str(path.relative_to(self.me))
            for path, data in self.everywhere()
            if any(word.encode() in data for word in words)
        )


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    me = tmp_path / "me"
    for name in ("runtime", "tmp", ".config/aider"):
        (me / name).mkdir(parents=True, mode=0o700)
    (me / "tmp").chmod(0o1777)
    (me / ".bashrc").write_text("# mine\n")
    made = User(me / ".local" / "share" / "lull", f"http://127.0.0.1:{nobodys_port()}", me=me)
    yield made
    for service in made.services:
        service.end()


def served(user: User) -> RunningLull:
    """Start a service in a new interpreter, which has loaded nothing from other users' folders."""
    process = started(
        ["serve", "--port", "0", "--json"],
        anew=True,
        env=user.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    address = json.loads(process.stdout.readline())["address"]
    running = RunningLull(user, process, address)
    user.services.append(running)
    return running


def lived_in(user: User) -> RunningLull:
    user.home.mkdir(parents=True)
    (user.home / "settings.toml").write_text("[secrets]\nfile_fallback = true\n")
    running = served(user)
    running.chat(f"{WORDS}: my key is {KEY} and my password is {PASSWORD}")
    body: dict[str, object] = {
        "model": KEY,
        "stream": False,
        "messages": [{"role": "user", "content": WORDS}],
    }
    running.post("/api/chat", body, {"X-Lull-Session": PASSWORD, "User-Agent": KEY})
    body["messages"] = [{"role": "user", "content": f"{WORDS} " + "hi there " * 40_000}]
    running.post("/api/chat", body)  # long enough for the long reader
    running.get(f"/c/{WORDS}/api/tags")
    with calendar_server(None) as feeds:
        url = feeds.serve(f"/{FEED}/basic.ics", answer(calendar(MEETING)))
        user.ask("calendar", "add", url, "--means", "busy", "--private")
    user.ask("skills", "add", SKILL, "--description", "d", "--body", f"Say {WORDS}.")
    found = eventually(lambda: user.ask("conversations")["conversations"])
    user.ask("rate", user.ask("show", found[0]["id"])["turns"][-1]["id"], "good")
    user.ask("connect", "environment", "--yes")
    user.ask("backup")
    return running


def hand_out(user: User, folder: Path) -> None:
    """Export what a user gives to others: skills, a backup and diagnostics."""
    user.ask("skills", "export", str(folder / "skills"))
    user.ask("backup", str(folder / "kept.zip"))
    given = bug_report(
        status=user.ask("status"),
        checks=user.run("doctor", "--json").json["checks"],
        settings=user.ask("settings")["settings"],
        log=(user.home / "logs" / "service.log").read_text().splitlines(),
        home=user.home,
        user="anna",
    )
    (folder / "diagnostics.txt").write_text(given)


def test_removing_lull_leaves_nothing_that_was_said(user: User) -> None:
    before = {path for path, _ in bytes_below(user.me)}
    running = lived_in(user)
    handed = user.me / "given"
    handed.mkdir()
    hand_out(user, handed)
    here = str(user.home.relative_to(user.me))

    # Beside the folder of Lull, words are only in what was handed out, and secrets nowhere; the
    # address of a calendar only in the one file that was allowed for it.
    assert {one for one in user.holding(WORDS) if not one.startswith((here, "given"))} == set()
    assert user.holding(KEY, PASSWORD) == []
    assert user.holding(FEED) == [f"{here}/secrets.json"]
    assert user.holding(WORDS)

    # A service that was killed, and the steps of README.md.
    running.kill()
    running = served(user)
    assert user.run("connect", "--undo").code == 0
    assert user.run("stop").code == 0
    running.process.wait()

    # "Delete data", everything: what is kept has no word of it.
    assert delete_data_files(user.home) == []
    assert {one.name for one in user.home.iterdir()} <= KEPT_NAMES
    left = [one for one in user.holding(WORDS, KEY, PASSWORD, FEED) if not one.startswith("given")]
    assert left == []

    # And without the folder nothing of Lull is left at all, but for what was handed out.
    shutil.rmtree(user.home)
    shutil.rmtree(handed)
    assert (user.me / ".bashrc").read_text() == "# mine\n"
    assert user.holding(WORDS, SKILL, KEY, PASSWORD, FEED) == []
    # Kernels that MLX compiled hold no word, and lie where nobody else could have laid others.
    kernels = user.me / "tmp" / f"lull-{os.geteuid()}"
    left_over = {path for path, _ in bytes_below(user.me)} - before
    assert {path for path in left_over if not path.is_relative_to(kernels)} == set()
    assert not kernels.exists() or stat.S_IMODE(kernels.stat().st_mode) == 0o700
