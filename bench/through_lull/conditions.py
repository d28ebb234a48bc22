"""The conditions: the model alone, behind a Lull that learns nothing, and behind one that learns.

Each but the first has a real Lull service of its own in a throw-away home, with the model as its
upstream. Overnight it does what its user would: prove what was proposed, approve it, train. Only
what Lull has learned survives the day; of the model's own memory nothing is kept anywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import psutil

from bench.json_object import Json
from bench.services import tied

PATIENCE_S = 180.0
LONGEST_READING_S = 180.0
"""Longest wait in seconds for Lull to read new turns; afterwards the benchmark continues anyway."""
LONGEST_FACTS_MS = 5_000
"""Most milliseconds that a request waits for facts of its model, without which no skill is put into
it; the default depends on how busy the machine is.
"""
SETTLING_S = 0.05
"""Seconds from a turn being read to its proposal being stored, in which no model is called."""
_UNREAD = "SELECT count(*) FROM turns WHERE read_by_score = 0"


class Condition(StrEnum):
    BASELINE = "baseline"
    PASSTHROUGH = "passthrough"
    SKILLS = "skills"
    FULL = "full"

    @property
    def through_lull(self) -> bool:
        return self is not Condition.BASELINE

    @property
    def learns(self) -> bool:
        return self in (Condition.SKILLS, Condition.FULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The model under test, and the models that help Lull learn."""

    address: str
    model: str
    judge: str
    """Name of the judge model; "" for none: then only the user's own words count and nothing is
    proved.
    """
    writer: str
    allow_remote: bool = False


class LullFailed(Exception):
    """Raised when Lull does not do what the benchmark needs; the message is what Lull said."""


@dataclass(slots=True)
class Service:
    """Lull's home and, between `start` and `stop`, the service that runs on it."""

    home: Path
    upstream: Upstream
    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    def start(self, *, learns: bool) -> str:
        """Start the service and return its address. Raises LullFailed."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.home / "settings.toml").write_text(_settings(self.upstream, learns=learns), "utf-8")
        process = subprocess.Popen(
            tied(["-m", "lull.cli.main", "serve", "--port", "0", "--json"]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self._environment(),
        )
        began = psutil.Process(process.pid).create_time()
        self._note.write_text(f"{process.pid} {began!r}", "utf-8")
        assert process.stdout is not None
        line = process.stdout.readline()
        self._process = process
        if not line:
            self.stop()
            raise LullFailed("the service did not start")
        address: str = json.loads(line)["address"]
        return address

    def stop(self) -> None:
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._process = None
        self._note.unlink(missing_ok=True)

    def stop_orphan(self) -> None:
        """End a service that a killed run left behind; the day it was in is played again anyway."""
        try:
            pid, began = self._note.read_text("utf-8").split()
            orphan = psutil.Process(int(pid))
            if orphan.create_time() == float(began):
                orphan.kill()
                orphan.wait(PATIENCE_S)
        except (OSError, ValueError, psutil.Error):
            pass  # nobody is there any more
        self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.home.with_name("service.pid")

    def let_it_read(self) -> None:
        """Wait until Lull has read all recorded turns, so that results do not depend on how fast
        requests follow each other.
        """
        until = time.monotonic() + LONGEST_READING_S
        address = f"file:{self.home / 'lull.db'}?mode=ro"
        while time.monotonic() < until:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                (left,) = connection.execute(_UNREAD).fetchone()
            if not left:
                time.sleep(SETTLING_S)
                return
            time.sleep(SETTLING_S / 2)

    def ask(self, *words: str) -> Json:
        """Run `lull WORDS --json` and return its output. Raises LullFailed."""
        done = self._run(*words, "--json")
        try:
            document: Json = json.loads(done.stdout)
        except ValueError:
            document = {}
        if done.returncode:
            error = document.get("error", {})
            said = f"{error.get('title', '')}: {error.get('detail', '')}"
            raise LullFailed(said.strip(": ") or done.stderr.strip())
        return document

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lull.cli.main", *words],
            capture_output=True,
            text=True,
            env=self._environment(),
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "OLLAMA_"))}
        return {**kept, "LULL_HOME": str(self.home), "OLLAMA_HOST": self.upstream.address}


def learn(service: Service, condition: Condition) -> Json:
    """Play one night: prove and approve what Lull proposed; in the condition `full`, train as
    well.
    """
    page = service.ask("prove", "--wait")
    told: Json = {"proposals": len(page["proposals"]), "approved": 0, "not_approved": []}
    for proposal in sorted(page["proposals"], key=lambda one: str(one["name"])):
        if proposal["status"] != "proved":
            told["not_approved"].append({"status": proposal["status"], "why": proposal["reason"]})
            continue
        service.ask("review", "approve", proposal["id"], "--sha256", proposal["sha256"])
        told["approved"] += 1
    told["skills"] = len(service.ask("skills", "list")["skills"])
    if condition is Condition.FULL:
        told |= _train(service)
    return told


def _train(service: Service) -> Json:
    model = service.upstream.model
    listed = service.ask("model", "list")["models"]
    found = next((one for one in listed if one["name"].split(":")[0] == model.split(":")[0]), None)
    if found is None or not found["can_learn"]:
        why = found["why_not"] if found else "it is no model that Lull can open here"
        return {"trained": 0, "why_not_trained": f"{model}: {why}"}
    try:
        service.ask("model", "choose", model)
        runs = service.ask("train", "now", "--wait")["runs"]
    except LullFailed as failed:
        return {"trained": 0, "why_not_trained": str(failed)}
    good = [run for run in runs if run.get("verdict") == "accepted"]
    return {"trained": len(good), "why_not_trained": ""}


def copy_home(source: Path, target: Path) -> None:
    """Copy a home atomically: the target's name appears only when the copy is complete."""
    half = target.with_name(f"{target.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    shutil.copytree(source, half, ignore=shutil.ignore_patterns("service.json", "*.sock", "*.lock"))
    shutil.rmtree(target, ignore_errors=True)
    half.rename(target)


def _settings(upstream: Upstream, *, learns: bool) -> str:
    quoted = json.dumps
    lines = [
        # It works for itself when it is told to, and leaves nothing to chance or to the clock.
        "[learning]",
        "quiet_s = 86400",
        "[idle]",
        "enabled = false",
        "[guard]",
        "leave_out_share = 0",
        "[skills]",
        # On a busy machine the first request after a start would go without skills.
        f"facts_within_ms = {LONGEST_FACTS_MS}",
    ]
    if not learns:
        return "\n".join(lines) + "\n"
    for group, model in (("judge", upstream.judge), ("writer", upstream.writer)):
        lines += [f"[{group}]", f"model = {quoted(model)}"]
        lines += ["allow_remote = true"] if upstream.allow_remote else []
    return "\n".join(lines) + "\n"
