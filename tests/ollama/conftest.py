"""Fixtures with a real Ollama on a free port, in a folder of its own, with models made of `pocket`.

The models differ in what Lull must respect: a Go template and stop strings, a SYSTEM text of their
own, or nothing but the weights.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from bench.pocket.export_gguf import export
from lull.resources import pocket_dir
from tests.eventually import PATIENCE_S, eventually
from tests.plugins.skipped import NO_OLLAMA
from tests.running import free_port
from tests.service.lulls import Before, lull_before
from tests.service.wire import Headers, Reply, ask

TEMPLATE = (
    "{{- if .Messages }}{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n"
    "{{ end }}<|im_start|>assistant\n{{ else }}"
    "{{- if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}"
    "{{- if .Prompt }}<|im_start|>user\n{{ .Prompt }}<|im_end|>\n{{ end }}"
    "<|im_start|>assistant\n{{ .Response }}{{ end }}"
)
WITH_TOOLS = "{{- if .Tools }}<tools>{{ .Tools }}</tools>\n{{ end }}" + TEMPLATE
SYSTEM = "You are a pocket model."
PARAMETERS = {"temperature": 0, "seed": 1, "num_predict": 16, "stop": ["<|im_end|>"]}
MODELS = {
    "pocket-gguf": {"template": TEMPLATE, "parameters": PARAMETERS},
    "pocket-system": {"template": TEMPLATE, "parameters": PARAMETERS, "system": SYSTEM},
    "pocket-tools": {"template": WITH_TOOLS, "parameters": PARAMETERS},
    "pocket-bare": {"parameters": {"num_predict": 16, "temperature": 0, "seed": 1}},
}


@dataclass(slots=True)
class RealOllama:
    address: str
    digest: str
    """Digest of the uploaded weights."""
    process: subprocess.Popen[bytes]
    environment: dict[str, str]

    def ask(
        self, method: str, path: str, body: bytes | object | None = None, headers: Headers = ()
    ) -> Reply:
        return ask(self.address, method, path, body, headers)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.address, timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)

    def start(self) -> None:
        self.process = _serve(self.environment)
        eventually(self.answers)


@pytest.fixture(scope="session")
def ollama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealOllama]:
    if shutil.which("ollama") is None:
        pytest.skip(NO_OLLAMA)
    folder = tmp_path_factory.mktemp("ollama")
    port = free_port()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "OLLAMA_"))}
    environment |= {
        "HOME": str(folder),
        "OLLAMA_HOST": f"127.0.0.1:{port}",
        "OLLAMA_MODELS": str(folder / "models"),
        "OLLAMA_CONTEXT_LENGTH": "2048",
        "OLLAMA_NO_CLOUD": "1",
    }
    weights = folder / "pocket.gguf"
    export(pocket_dir(), weights)
    digest = f"sha256:{hashlib.sha256(weights.read_bytes()).hexdigest()}"
    served = RealOllama(f"http://127.0.0.1:{port}", digest, _serve(environment), environment)
    try:
        eventually(served.answers)
        assert served.ask("POST", f"/api/blobs/{digest}", weights.read_bytes()).status == 201
        for name, more in MODELS.items():
            made = {"model": name, "files": {"pocket.gguf": digest}, "stream": False, **more}
            answer = served.ask("POST", "/api/create", made)
            assert answer.json == {"status": "success"}, answer
        yield served
    finally:
        served.stop()


def _serve(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["ollama", "serve"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="session")
def before(ollama: RealOllama, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Lull without a skill, in front of the real Ollama."""
    with lull_before(ollama.address, tmp_path_factory.mktemp("before") / "home") as made:
        yield made


@pytest.fixture(scope="session")
def skilled(ollama: RealOllama, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """Lull with one pinned skill, in front of the real Ollama."""
    with lull_before(ollama.address, tmp_path_factory.mktemp("skilled") / "home") as made:
        made.add_skill("brief", "Answer in one word.")
        yield made
