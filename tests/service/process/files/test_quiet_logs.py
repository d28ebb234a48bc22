"""Tests that nothing said in a chat is ever in the log, not even at debug level or after errors."""

from __future__ import annotations

import json

import pytest

from tests.running import Lull
from tests.service.process.upstream import Slow

pytestmark = pytest.mark.slow

MARK = "xylophonmarker"
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.full
def test_no_word_and_no_secret_is_logged(lull: Lull, slow: Slow) -> None:
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text('[log]\nlevel = "debug"\n')
    lull.upstream = slow.address
    slow.go_on.set()
    running = lull.serve()
    said = f"{MARK} {KEY}"
    headers = {"Authorization": f"Bearer {KEY}", "X-Lull-Session": MARK}
    chat = {"messages": [{"role": "user", "content": said}]}
    for model in ("pocket", "slow", "none-such"):
        running.post("/api/chat", {"model": model, "options": {"num_predict": 4}, **chat}, headers)
        running.post("/v1/chat/completions", {"model": model, "max_tokens": 4, **chat}, headers)
        running.post("/v1/messages", {"model": model, "max_tokens": 4, **chat}, headers)
        running.post("/api/generate", {"model": model, "prompt": said, "stream": False}, headers)
    for body in (
        f'{{"model": "pocket", "messages": [{{"role": "user", "content": "{said}'.encode(),
        json.dumps({"model": "pocket", "messages": said}).encode(),
        json.dumps({"model": "pocket", "messages": [{"role": said, "content": "a"}]}).encode(),
        json.dumps({"model": "pocket", "options": {"num_predict": said}, **chat}).encode(),
        json.dumps({"model": "pocket", "tools": said, "format": said, **chat}).encode(),
        b"\xff" + said.encode(),
    ):
        for path in ("/api/chat", "/v1/chat/completions", "/v1/responses", "/v1/messages"):
            running.post(path, body, headers)
    lull.run("conversations", "--search", MARK)
    lull.run("skills", "edit", MARK, "--body", said)
    lull.run("skills", "add", "refused", "--description", said, "--body", said)
    lull.ask("skills", "add", "noted", "--description", MARK, "--body", MARK)
    running.stop()
    log = "".join(file.read_text() for file in (lull.home / "logs").iterdir())
    assert log.count("\n") > 2
    assert MARK not in log
    assert KEY not in log
    for line in log.splitlines():
        assert {"at", "level", "part", "text"} <= json.loads(line).keys()
    assert not [line for line in log.splitlines() if "fault of Lull's own" in line]
