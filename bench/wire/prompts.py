"""Measures the prompts that Lull sends: how stable their beginnings are, and that skills push no
history out.
"""

import json
import random
import urllib.request
from collections.abc import Sequence
from typing import Any

from bench.wire.homes import asked
from bench.wire.upstream import WINDOW_TOKENS

Message = dict[str, Any]

CHARACTERS_A_TOKEN = 4
"""Characters per token in the mock upstream's tokenizer."""


def post(port: int, path: str, body: object, *, agent: str = "bench/1") -> bytes:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "User-Agent": agent},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        data: bytes = answer.read()
    return data


def last_messages(upstream: int) -> list[Message]:
    with urllib.request.urlopen(f"http://127.0.0.1:{upstream}/last", timeout=60) as answer:
        found: list[Message] = json.loads(answer.read())["messages"]
    return found


def rendered(messages: Sequence[Message]) -> str:
    return "".join(f"<{m['role']}>{m['content']}</>" for m in messages)


def stable_prefix_share(port: int, upstream: int, *, turns: int, conversations: int) -> float:
    """Return the mean share of a prompt's bytes that also begin the next prompt of the
    conversation.
    """
    shares: list[float] = []
    for number in range(conversations):
        history: list[Message] = []
        before = ""
        for turn in range(turns):
            history.append({"role": "user", "content": f"{asked(number)} Part {turn}."})
            body = {"model": "mock", "stream": False, "messages": history}
            answer = json.loads(post(port, "/api/chat", body))
            now = rendered(last_messages(upstream))
            if before:
                shares.append(common_prefix(before, now) / len(before))
            before = now
            history.append(answer["message"])
    return sum(shares) / len(shares)


def common_prefix(a: str, b: str) -> int:
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def silent_truncations(port: int, upstream: int, *, cases: int, seed: int) -> tuple[int, int]:
    """Return how many prompts fit the window alone but not with what Lull added, and how many got
    skills at all.
    """
    r = random.Random(seed)
    cut = injected = 0
    for number in range(cases):
        wanted = r.randint(200, WINDOW_TOKENS * CHARACTERS_A_TOKEN)
        text = asked(number)
        filler = "".join(r.choice("abcdefghij ") for _ in range(max(0, wanted - len(text))))
        messages = [
            {"role": "user", "content": filler},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": text},
        ]
        alone = len(rendered(messages)) / CHARACTERS_A_TOKEN
        # Every other client asks for a window of its own.
        window = WINDOW_TOKENS if number % 2 else max(64, int(wanted / CHARACTERS_A_TOKEN * 1.1))
        body = {"model": "mock", "stream": False, "messages": messages}
        post(
            port, "/api/chat", {**body, "options": {"num_ctx": window}} if number % 2 == 0 else body
        )
        sent = len(rendered(last_messages(upstream))) / CHARACTERS_A_TOKEN
        injected += sent > alone
        cut += alone <= window < sent
    return cut, injected


def injected_characters(port: int, upstream: int, text: str) -> int:
    """Return the number of characters that Lull added to this prompt."""
    messages = [{"role": "user", "content": text}]
    post(port, "/api/chat", {"model": "mock", "stream": False, "messages": messages})
    return len(rendered(last_messages(upstream))) - len(rendered(messages))
