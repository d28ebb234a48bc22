"""Tests of trained weights with a real Ollama: its file to MLX, and back as a published version.

The version carries what was learned and answers under the model's public name.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
from tokenizers import Tokenizer

from lull.backends.mlx.engine import MlxEngine
from lull.backends.ollama.models import OllamaModels
from lull.backends.system.clock import SystemClock
from lull.config.paths import Paths
from lull.config.settings import Settings, UpstreamSettings
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.published import (
    TEST_PROMPTS,
    PublishedStatus,
    PublishedVersion,
    gap_between,
)
from lull.core.errors import WeightsError
from lull.core.models.ollama_model import shown_model
from lull.core.models.weight_work import NextToken
from lull.core.training.examples import RecordedAnswer
from lull.core.training.run_format import ADAPTER, BATCH, SPEC, example_line, spec_text
from lull.core.training.spec import KtoTerms, Lora, RunKind, RunSpec
from lull.loops.adapters.next_token import next_token
from lull.loops.adapters.publish import AdapterToPublish, Publish, PublishStep, TellsStep
from lull.loops.models.choose_model import PreparedModel
from lull.service.proxy.published_names import PublishedNames
from lull.service.wiring.base.own_models import english_of
from lull.service.wiring.night.weights import choose_of, publish_of
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.published import PublishedVersions
from lull.store.sqlite.database import Database
from tests.backends.gguf.adapters import random_adapter
from tests.backends.gguf.tiny import Tiny, write
from tests.eventually import eventually
from tests.ollama.conftest import TEMPLATE, RealOllama
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.full
T = TypeVar("T")

BASES = {
    "llama": Tiny(),
    "llama-pieces": Tiny(tokenizer="llama", tied=True),
    "qwen2": Tiny(architecture="qwen2", cut="qwen2"),
    "qwen3": Tiny(architecture="qwen3", cut="qwen2", head=32, tied=True),
    "gemma": Tiny(architecture="gemma", tokenizer="llama"),
    "gemma2": Tiny(architecture="gemma2", tokenizer="llama"),
    "gemma3": Tiny(architecture="gemma3", tokenizer="llama", layers=6),
    "llama-q8": Tiny(kind="Q8_0"),
    "llama-q4": Tiny(kind="Q4_0"),
    "qwen3-q8": Tiny(architecture="qwen3", cut="qwen2", kind="Q8_0"),
    "qwen2-q4": Tiny(architecture="qwen2", cut="qwen2", kind="Q4_0"),
}
FIRST = ("llama", "qwen2", "qwen3", "llama-q8", "llama-q4")
SOAK = pytest.mark.soak
ROUNDED = 0.03
"""Largest gap in nats that half precision may cause in a tiny model's log-probabilities."""
QUANTISED = 0.25
"""Largest gap in nats of a quantised model: Ollama on a CPU also rounds activations to 8 bits."""
ALSO = {
    "template": TEMPLATE,
    "system": 'You are tiny.\nSay "little" \\ less.',
    "license": "Do as you like.\n\nTwice.",
    "parameters": {
        "temperature": 0.5,
        "num_ctx": 512,
        "stop": ["<|im_end|>", 'a "quoted"\nstop'],
        "top_k": 7,
    },
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
}


@dataclass
class Desk:
    """A home and an Ollama, with what the tests need to do with both."""

    home: Path
    ollama: RealOllama

    @property
    def paths(self) -> Paths:
        return Paths(home=self.home, temporary=self.home)

    @property
    def settings(self) -> Settings:
        return Settings(upstream=UpstreamSettings(address=self.ollama.address))

    def base(self, name: str, tiny: Tiny, **also: object) -> None:
        file = self.home / "base.gguf"
        self.home.mkdir(exist_ok=True)
        write(file, tiny)
        data = file.read_bytes()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert self.ollama.ask("POST", f"/api/blobs/{digest}", data).status in (200, 201)
        made = {"model": name, "files": {"base.gguf": digest}, "stream": False, **also}
        assert self.ollama.ask("POST", "/api/create", made).json == {"status": "success"}
        file.unlink()

    def shown(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ollama.ask("POST", "/api/show", {"model": name}).json
        return found

    def digests(self) -> dict[str, str]:
        models = self.ollama.ask("GET", "/api/tags").json["models"]
        return {one["name"]: one["digest"] for one in models}

    async def choose(self, name: str) -> PreparedModel:
        async with aiohttp.ClientSession() as session:
            story = choose_of(
                self.settings, self.paths, session, SystemClock(), english_of(self.paths)
            )
            return await story.choose(name)

    @asynccontextmanager
    async def publishing(self) -> AsyncIterator[tuple[Publish, PublishedVersions]]:
        self.home.mkdir(exist_ok=True)
        database = Database(self.paths.database)
        versions = PublishedVersions(database)
        try:
            async with aiohttp.ClientSession() as session:
                story = publish_of(
                    self.settings, self.paths, session, versions, PublishedNames(), SystemClock()
                )
                yield story, versions
        finally:
            await asyncio.to_thread(database.close)

    async def publish(self, name: str, learnt: AdapterToPublish, weights: Path) -> PublishedVersion:
        async with self.publishing() as (story, _), saying(weights, learnt) as says:
            return await story.prepare(name, learnt, says=says)

    async def learned(self, name: str, *, seed: int = 1) -> tuple[AdapterToPublish, Path]:
        """Return a random adapter for the model, and the folder of the model's weights."""
        weights = Path((await self.choose(name)).folder)
        folder = self.home / f"adapter-{weights.name}-{seed}"
        random_adapter(weights, folder, seed=seed)
        sha256 = hashlib.sha256((folder / "adapters.safetensors").read_bytes()).hexdigest()
        return AdapterToPublish(sha256=sha256, folder=str(folder), base=self.blob(name)), weights

    def blob(self, name: str) -> str:
        """Return the SHA-256 of a model's weights."""
        return shown_model(name, self.shown(name)).blob_sha256


@asynccontextmanager
async def saying(
    weights: Path, learnt: AdapterToPublish
) -> AsyncIterator[Callable[[str, str | None], Awaitable[NextToken]]]:
    """Yield a function for the next token of our engine with the weights and the adapter; the
    engine starts when it is first asked.
    """
    engine = MlxEngine(weights)
    starting: list[asyncio.Task[None]] = []

    async def says(prompt: str, adapter: str | None) -> NextToken:
        if not starting:
            load = engine.load_adapter(learnt.sha256, learnt.folder)
            starting.append(asyncio.ensure_future(load))
        await asyncio.shield(starting[0])
        return await next_token(engine, prompt, adapter)

    try:
        yield says
    finally:
        await asyncio.gather(*starting, return_exceptions=True)
        await engine.close()


@pytest.fixture
def desk(tmp_path: Path, ollama: RealOllama) -> Iterator[Desk]:
    before = set(Desk(tmp_path / "home", ollama).digests())
    made = Desk(tmp_path / "home", ollama)
    yield made
    for name in set(made.digests()) - before:
        assert ollama.ask("DELETE", "/api/delete", {"model": name}).status == 200


@pytest.mark.parametrize(
    "name", [*FIRST, *(pytest.param(n, marks=SOAK) for n in BASES if n not in FIRST)]
)
async def test_a_version_says_what_was_trained(name: str, desk: Desk) -> None:
    tiny = BASES[name]
    desk.base(name, tiny)
    before = desk.digests()
    learnt, weights = await desk.learned(name)
    version = await desk.publish(name, learnt, weights)

    assert (version.name, version.status) == (f"{name}-lull-v1", PublishedStatus.READY)
    assert version.agreement is not None
    sys.stdout.write(f"{name} ({tiny.kind}): {version.agreement.text}\n")  # seen with -s
    most = ROUNDED if tiny.kind == "F16" else QUANTISED
    assert version.agreement.gap <= most
    assert version.agreement.base_gap <= most
    assert version.agreement.prompts >= 3
    assert {key: value for key, value in desk.digests().items() if key in before} == before
    # The version is not simply the base: the adapter changes the next token.
    async with aiohttp.ClientSession() as session:
        store = OllamaModels(session, desk.ollama.address)
        said = [
            [await store.next_token(one, prompt, most=20) for one in (name, version.name)]
            for prompt in TEST_PROMPTS
        ]
    changes = [gap_between(a, b) for a, b in said if a and b]
    assert max(change or 0.0 for change in changes) > 0.2


@pytest.mark.parametrize(
    "name",
    ["llama", "llama-q4", *(pytest.param(n, marks=SOAK) for n in ("qwen2", "qwen3", "llama-q8"))],
)
async def test_what_a_run_trained_is_what_ollama_says(name: str, desk: Desk) -> None:
    """Tests the whole way of the weights: Ollama's file, MLX, a real run, a merged file, Ollama."""
    desk.base(name, BASES[name])
    weights = Path((await desk.choose(name)).folder)
    adapter = await asyncio.to_thread(_trained, weights, desk.home / "run")
    learnt = AdapterToPublish(sha256="0" * 64, folder=str(adapter), base=desk.blob(name))
    version = await desk.publish(name, learnt, weights)
    assert version.agreement is not None
    sys.stdout.write(f"{name}, trained: {version.agreement.text}\n")
    assert version.agreement.gap <= (ROUNDED if BASES[name].kind == "F16" else QUANTISED)
    async with aiohttp.ClientSession() as session:
        store = OllamaModels(session, desk.ollama.address)
        before = await store.next_token(name, PROMPT, most=20)
        after = await store.next_token(version.name, PROMPT, most=20)
    assert before is not None
    assert after is not None
    assert before.text != GOOD
    assert after.text == GOOD


PROMPT, GOOD = "the", " cat"


def _trained(weights: Path, run: Path) -> Path:
    """Train the model on one thing, what follows PROMPT; return the adapter's folder."""
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    prompt, good = tokenizer.encode(PROMPT).ids, tokenizer.encode(GOOD).ids
    examples = [
        RecordedAnswer(id=f"{what}-{k}", prompt_ids=tuple(prompt), ids=(one,), good=what == "good")
        for k in range(4)
        for what, one in (("good", good[0]), ("bad", 40 + k))
    ]
    spec = RunSpec(
        id="run_1",
        kind=RunKind.KTO,
        model=str(weights),
        lora=Lora(rank=4, scale=4.0),
        learning_rate=0.03,
        steps=40,
        terms=KtoTerms(beta=0.3),
    )
    run.mkdir()
    (run / SPEC).write_text(spec_text(spec))
    (run / BATCH).write_text("".join(example_line(one) + "\n" for one in examples))
    command = [sys.executable, "-m", "lull.trainer.main", str(run)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return run / ADAPTER


async def test_everything_but_the_weights_is_the_bases(desk: Desk) -> None:
    desk.base("dressed", BASES["llama"], **ALSO)
    version = await desk.publish("dressed", *await desk.learned("dressed"))
    base, made = desk.shown("dressed"), desk.shown(version.name)
    for key in ("template", "system", "license", "messages", "capabilities"):
        assert made.get(key) == base.get(key), key
    assert {**made["details"], "parent_model": ""} == {**base["details"], "parent_model": ""}
    assert base["messages"]
    assert sorted(made["parameters"].splitlines()) == sorted(base["parameters"].splitlines())
    assert 'a \\"quoted\\"\\nstop' in made["parameters"]
    same = {key: value for key, value in base["model_info"].items() if "parameter_count" not in key}
    assert same.items() <= made["model_info"].items()
    # Norms and embeddings, which the adapter does not change, are the same bytes.
    kinds = {one["name"]: one["type"] for one in made["tensors"]}
    assert kinds["blk.0.attn_norm.weight"] == "F32"
    assert len(kinds) == len(base["tensors"])


async def test_only_the_versions_that_are_needed_stay(desk: Desk) -> None:
    desk.base("often", BASES["llama"])
    learnt = [await desk.learned("often", seed=seed) for seed in (1, 2, 3)]
    for one, weights in learnt:
        await desk.publish("often", one, weights)
    async with desk.publishing() as (story, _):
        await story.keep_only("often", [one.sha256 for one, _ in learnt[1:]])
    ours = {name for name in desk.digests() if name.startswith("often")}
    assert ours == {"often:latest", "often-lull-v2:latest", "often-lull-v3:latest"}
    same = await desk.publish("often", *learnt[1])
    assert same.number == 2, "what is there is not made again"
    again = await desk.publish("often", *learnt[0])
    assert again.number == 4, "a number that was taken is never taken again"


async def test_a_name_that_somebody_else_has_is_left_alone(desk: Desk) -> None:
    desk.base("shared", BASES["llama"])
    desk.base("shared-lull-v1", BASES["qwen2"])
    theirs = desk.digests()["shared-lull-v1:latest"]
    version = await desk.publish("shared", *await desk.learned("shared"))
    assert version.name == "shared-lull-v2"
    assert desk.digests()["shared-lull-v1:latest"] == theirs


async def test_a_publication_that_broke_off_goes_on_under_its_number(desk: Desk) -> None:
    desk.base("broken", BASES["llama"])
    learnt, weights = await desk.learned("broken")
    steps = ["merging", "uploading", "creating", "testing"]
    for step in steps:
        async with desk.publishing() as (story, _), saying(weights, learnt) as says:
            begin = partial(story.prepare, "broken", learnt, says=says)
            await _until(step, lambda tell, begin=begin: begin(tell=tell))
    version = await desk.publish("broken", learnt, weights)
    assert (version.number, version.status) == (1, PublishedStatus.READY)
    assert not list((desk.paths.models / "publishing").iterdir())


async def test_weights_that_do_not_say_what_was_trained_may_not_answer(desk: Desk) -> None:
    desk.base("other", BASES["llama"])
    learnt, weights = await desk.learned("other")
    wrong, _ = await desk.learned("other", seed=9)
    mixed = replace(learnt, folder=wrong.folder)
    async with desk.publishing() as (story, versions), saying(weights, learnt) as says:
        with pytest.raises(WeightsError, match="does not say what was trained"):
            await story.prepare("other", mixed, says=says)
        assert not [v for v in versions.all() if v.status is PublishedStatus.READY]
    assert not [name for name in desk.digests() if "lull" in name]


async def test_what_was_learned_is_never_put_on_another_base(desk: Desk) -> None:
    desk.base("moved", BASES["llama"])
    learnt, weights = await desk.learned("moved")
    desk.base("moved", replace(BASES["llama"], seed=5))
    with pytest.raises(WeightsError, match="no longer the model that learned"):
        await desk.publish("moved", learnt, weights)


async def test_the_public_name_answers_with_what_was_learned(desk: Desk) -> None:
    """Tests the whole way in the real service: weights are chosen, and an adapter is put in force.

    Requests for the public name are then answered by the version that carries the adapter.
    """
    desk.base("public", BASES["llama"], template=TEMPLATE)
    _serve_by(desk, "ollama")
    with RunningLull.cleaned_up(desk.home, upstream=desk.ollama.address) as lull:
        await asyncio.to_thread(lull.ask, "model", "choose", "public")
        learnt, _ = await desk.learned("public")
        await _bring(desk, learnt, "public")
        service = await asyncio.to_thread(lull.serve)
        await asyncio.to_thread(_asks, desk, lull, service)


async def test_our_own_engine_answers_where_it_is_to_and_can(desk: Desk) -> None:
    """Tests a model served by our engine, as on Apple Silicon; what it cannot do Ollama does."""
    desk.base("own", BASES["llama"], template=TEMPLATE, system="Be tiny.")
    _serve_by(desk, "engine")
    with RunningLull.cleaned_up(desk.home, upstream=desk.ollama.address) as lull:
        await asyncio.to_thread(lull.ask, "model", "choose", "own")
        learnt, _ = await desk.learned("own")
        await _bring(desk, learnt, "own")
        service = await asyncio.to_thread(lull.serve)
        await asyncio.to_thread(_asks_engine, desk, lull, service)


def _asks_engine(desk: Desk, lull: Lull, service: RunningLull) -> None:
    body = {**_chats("own")["/api/chat"], "stream": False}
    plain = service.post("/api/chat", body)
    theirs = desk.ollama.ask("POST", "/api/chat", body)
    assert plain.json["prompt_eval_count"] == theirs.json["prompt_eval_count"], "SYSTEM is in it"
    lull.ask("adapters", "promote", "adapter_1")
    assert service.post("/api/chat", body).json["message"] != plain.json["message"]
    assert not [name for name in desk.digests() if "lull" in name]
    by_ollama = {**body, "format": "json"}
    ours = service.post("/api/chat", by_ollama)
    assert ours.status == 200
    assert ours.json["message"] == desk.ollama.ask("POST", "/api/chat", by_ollama).json["message"]
    eventually(lambda: _newest_policy(lull)["adapter"] is None)
    lists = [service.get("/api/tags").json, desk.ollama.ask("GET", "/api/tags").json]
    assert len(lists[0]["models"]) == len(lists[1]["models"])


def _serve_by(desk: Desk, which: str) -> None:
    (desk.home / "settings.toml").write_text(f'[training]\nserve = "{which}"\n')


async def _bring(desk: Desk, learnt: AdapterToPublish, model: str) -> None:
    """Store an adapter as a run leaves it, with a verdict of the gate that accepts it."""
    database = Database(desk.paths.database)
    try:
        digest = desk.digests()[f"{model}:latest"]
        sha256 = AdapterFiles(desk.home / "adapters").take_in("adapter_1", Path(learnt.folder))
        version = AdapterVersion(
            id="adapter_1",
            parent=None,
            base_model=model,
            base_digest=digest,
            sha256=sha256,
            run=None,
            status=AdapterStatus.CANDIDATE,
            made=SystemClock().now(),
        )
        await Adapters(database).add(version)
        await Adapters(database).store_verdict(
            "adapter_1", Verdict(accepted=True, at=SystemClock().now(), against=None)
        )
    finally:
        await asyncio.to_thread(database.close)


def _asks(desk: Desk, lull: Lull, service: RunningLull) -> None:
    plain = {path: service.post(path, body).body for path, body in _chats("Public").items()}
    lull.ask("adapters", "promote", "adapter_1")
    name = "public-lull-v1"
    assert f"{name}:latest" in desk.digests()
    for path, body in _chats("Public").items():
        theirs = desk.ollama.ask("POST", path, {**body, "model": name})
        ours = service.post(path, body)
        assert ours.status == 200, ours
        assert _said(ours.body) == _said(theirs.body), path
        assert name.encode() not in ours.body
        assert b'"model":"Public"' in ours.body
        assert _said(ours.body) != _said(plain[path]), path
    lists = [service.get("/api/tags").json, desk.ollama.ask("GET", "/api/tags").json]
    assert len(lists[0]["models"]) == len(lists[1]["models"])
    published = lull.ask("adapters", "list")["adapters"][0]["sha256"]
    eventually(lambda: _newest_policy(lull)["adapter"] == published)

    # Another model is trained from now on, but this one's version goes on answering.
    learned = _said(service.post("/api/chat", _chats("Public")["/api/chat"]).body)
    assert lull.ask("model", "choose", "pocket")["restart_needed"] is False
    eventually(lambda: "not running in" in lull.run("adapters", "promote", "adapter_1").err)
    assert _said(service.post("/api/chat", _chats("Public")["/api/chat"]).body) == learned
    lull.ask("adapters", "rollback")
    assert _said(service.post("/api/chat", _chats("Public")["/api/chat"]).body) != learned
    lull.ask("model", "choose", "public")
    lull.ask("adapters", "promote", "adapter_1")
    assert _said(service.post("/api/chat", _chats("Public")["/api/chat"]).body) == learned

    lull.ask("adapters", "rollback")
    back = {path: service.post(path, body).body for path, body in _chats("Public").items()}
    assert {p: _said(one) for p, one in back.items()} == {p: _said(one) for p, one in plain.items()}

    lull.ask("adapters", "promote", "adapter_1")
    assert desk.ollama.ask("DELETE", "/api/delete", {"model": name}).status == 200
    lost = service.post("/api/chat", _chats("Public")["/api/chat"])
    assert _said(lost.body) == _said(plain["/api/chat"])
    assert any("is no longer in Ollama" in one["detail"] for one in lull.ask("status")["problems"])


def _chats(model: str) -> dict[str, dict[str, Any]]:
    told = [{"role": "user", "content": "the cat and"}]
    options = {"temperature": 0, "seed": 1, "num_predict": 12}
    openai = {"model": model, "messages": told, "temperature": 0, "seed": 1, "max_tokens": 12}
    return {
        "/api/chat": {"model": model, "messages": told, "options": options},
        "/api/generate": {"model": model, "prompt": "the", "options": options, "stream": False},
        "/v1/chat/completions": {**openai, "stream": True},
        "/v1/messages": {"model": model, "messages": told, "max_tokens": 12, "temperature": 0},
    }


def _newest_policy(lull: Lull) -> dict[str, Any]:
    """Return the policy of the newest stored conversation; the last turn may not be stored yet."""
    newest = lull.ask("conversations")["conversations"][0]
    policy: dict[str, Any] = lull.ask("show", newest["id"])["turns"][0]["policy"]
    return policy


def _said(body: bytes) -> list[Any]:
    """Return every text in an answer, in order."""
    found: list[Any] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key, one in value.items():
                if key in ("content", "response", "text") and isinstance(one, str):
                    found.append(one)
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)

    for line in body.decode().splitlines():
        data = line.removeprefix("data: ")
        if data.startswith("{"):
            walk(json.loads(data))
    return ["".join(found)]


async def _until(step: str, publishing: Callable[[TellsStep], Awaitable[PublishedVersion]]) -> None:
    """Begin to publish, and cancel it as soon as it reports this step."""

    def tell(at: PublishStep, _done: int, _of: int) -> None:
        if at == step:
            task.cancel()

    task = asyncio.ensure_future(publishing(tell))
    with pytest.raises(asyncio.CancelledError):
        await task


def test_models_are_listed_and_chosen_from_the_command_line(
    tmp_path: Path, ollama: RealOllama
) -> None:
    desk = Desk(tmp_path / "home", ollama)
    desk.base("choosable", BASES["qwen3"])
    with RunningLull.cleaned_up(desk.home, upstream=ollama.address) as lull:
        models = {one["name"]: one for one in lull.ask("model", "list")["models"]}
        assert models["choosable:latest"]["can_learn"] is True
        assert models["choosable:latest"]["architecture"] == "qwen3"
        assert models["lull-mini"]["can_learn"] is True
        assert all(one["needs_gb"] > 0 for one in models.values())
        alone = lull.ask("model", "choose", "Choosable")
        assert alone["chosen"] == "choosable"
        assert (Path(alone["folder"]) / "config.json").is_file()
        lull.serve()
        by_service = lull.ask("model", "choose", "choosable:latest")
        assert by_service["folder"] == alone["folder"]
        assert lull.ask("model", "list")["chosen"] == "choosable"
        refused = lull.run("model", "choose", "nobody", "--json")
        assert refused.code == 1
        assert "nobody" in refused.json["error"]["detail"]
        by_folder = lull.ask("model", "choose", alone["folder"])
        assert by_folder["folder"] == alone["folder"]
        assert lull.ask("model", "list")["chosen"] == by_folder["chosen"]
        assert lull.ask("model", "choose", "pocket")["chosen"] == "pocket"
    assert ollama.ask("DELETE", "/api/delete", {"model": "choosable"}).status == 200
