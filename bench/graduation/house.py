"""A real Lull service in a home of its own, asked over its two doors: the proxy and the control."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.json_object import Json
from bench.services import tied
from lull.cli.shared.control import Control
from lull.config.paths import Paths

REFRESH_S: Final = 5.0
"""How often the signals are written: the service believes none that is older than a minute."""
STOPS_S: Final = 120.0
DESK: Final = {
    # Somebody is there, so that nothing begins by itself: proofs and training are asked for.
    "input_idle_s": 1,
    "locked": False,
    "on_mains": True,
    "load_of_others": 0.0,
    "memory_free_share": 0.9,
    "hot": False,
    "call": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A running service."""

    port: int
    control: Control
    home: Path

    def asks(self, *texts: str) -> tuple[str, int]:
        """Send a conversation of user texts, with the answer after each but the last in between.

        Returns the last answer and the tokens of the whole prompt as the model read it.
        """
        messages: list[Json] = []
        said, tokens = "", 0
        for text in texts:
            messages.append({"role": "user", "content": text})
            body = {
                "model": "pocket",
                "stream": False,
                "options": {"temperature": 0},
                "messages": messages,
            }
            answer = self._post("/api/chat", body)
            said, tokens = answer["message"]["content"], answer["prompt_eval_count"]
            messages.append({"role": "assistant", "content": said})
        return said, tokens

    def _post(self, path: str, body: Json) -> Json:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            headers = {"Content-Type": "application/json", "User-Agent": "graduation/1"}
            connection.request("POST", path, json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            said: Json = json.loads(answer.read())
            if answer.status != 200:
                raise RuntimeError(f"{path} answered {answer.status}: {said}")
            return said
        finally:
            connection.close()


@contextmanager
def serving(home: Path, settings: str) -> Iterator[House]:
    """Start a service in an empty home with these settings (TOML), and stop it at the end."""
    home.mkdir(parents=True, exist_ok=True)
    paths = Paths.from_environment({"LULL_HOME": str(home)}, sys.platform)
    signals = home / "signals.json"
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'{settings}\n[idle]\nsource = "file:{signals}"\n', "utf-8")
    # Nobody listens there: the built-in model alone answers.
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "OLLAMA_"))}
    env = {**kept, "LULL_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:9"}
    with _desk(signals):
        process = subprocess.Popen(
            tied(["-m", "lull.cli.main", "serve", "--port", "0", "--json"]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"the service in {home} did not start")
            port = int(json.loads(line)["address"].rsplit(":", 1)[1])
            yield House(port=port, control=Control(paths), home=home)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(STOPS_S)
            process.stdout.close()


@contextmanager
def _desk(file: Path) -> Iterator[None]:
    """Keep the file of signals fresh."""
    over = threading.Event()

    def write() -> None:
        spare = file.with_suffix(".new")
        spare.write_text(json.dumps(DESK), "utf-8")
        spare.replace(file)

    def keep() -> None:
        while not over.wait(REFRESH_S):
            write()

    write()
    writer = threading.Thread(target=keep, daemon=True)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()
