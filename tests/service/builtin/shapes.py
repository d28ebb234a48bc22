"""Reduces an answer to its shape: field names, their order and the kind of each value.

Run as a script with the folder of recordings, it writes `recorded_shapes.json` beside itself: the
shapes of a real Ollama server's answers, so that the tests need no recordings.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SHAPES = Path(__file__).with_name("recorded_shapes.json")
CASES = [
    "api-chat-nonstream",
    "api-chat-stream",
    "api-chat-length",
    "api-chat-load",
    "api-chat-keep-alive-zero",
    "api-chat-logprobs",
    "api-chat-logprobs-stream",
    "api-chat-tools-unsupported",
    "api-chat-think-unsupported",
    "api-chat-unknown-model",
    "api-chat-no-model",
    "api-chat-empty-body",
    "api-chat-options-wrong-type",
    "api-chat-format-bad",
    "api-chat-top-logprobs-too-many",
    "api-chat-keep-alive-bad",
    "api-chat-think-bad-value",
    "api-chat-content-parts",
    "api-generate-nonstream",
    "api-generate-stream",
    "api-generate-raw",
    "api-generate-raw-stream",
    "api-generate-logprobs",
    "api-generate-load",
    "api-generate-unload",
    "api-generate-no-model",
    "api-generate-raw-with-system",
    "api-generate-suffix-unsupported",
    "v1-chat-nonstream",
    "v1-chat-stream",
    "v1-chat-stream-usage",
    "v1-chat-logprobs",
    "v1-chat-logprobs-stream",
    "v1-chat-tools-unsupported",
    "v1-chat-unknown-model",
    "v1-chat-empty-messages",
    "v1-chat-no-model",
    "v1-chat-reasoning-unsupported",
    "v1-chat-image-url-http",
    "v1-chat-wrong-type",
    "v1-completions-nonstream",
    "v1-completions-stream",
    "v1-completions-stream-usage",
    "v1-completions-prompt-list",
    "v1-completions-suffix",
    "v1-responses-nonstream",
    "v1-responses-stream",
    "v1-responses-instructions",
    "v1-responses-no-input",
    "v1-responses-tools-unsupported",
    "v1-responses-unknown-model",
    "v1-messages-nonstream",
    "v1-messages-stream",
    "v1-messages-length",
    "v1-messages-unknown-model",
    "v1-messages-no-max-tokens",
    "v1-messages-empty-messages",
    "v1-messages-tools-unsupported",
    "api-tags",
    "api-ps-one-loaded",
    "api-show-bare",
    "v1-models",
    "v1-model",
    "api-version-get",
    "root-get",
    "wrong-method-chat-get",
    "wrong-method-tags-post",
    "wrong-method-ps-head",
    "api-tags-head",
    "api-show-unknown",
    "api-show-no-model",
    "api-show-bad-name",
    "v1-model-unknown",
]
KEPT_HEADERS = ("Content-Type", "Cache-Control", "Allow")


def shape(value: Any) -> Any:
    """Return a JSON value's shape: keys in their order, a list's first element, else the kind."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    if isinstance(value, bool) or value is None:
        return str(value)
    return "number" if isinstance(value, int | float) else "text"


def shapes_of(body: str) -> list[Any]:
    """Return the shapes of the events in a body; events in a row with the same shape count once."""
    found: list[Any] = []
    for block in body.split("\n"):
        line = block.removeprefix("data: ")
        if not line:
            continue
        entry = shape(json.loads(line)) if line.startswith("{") else line
        if not found or dumped(found[-1]) != dumped(entry):
            found.append(entry)
    return found


def dumped(value: Any) -> str:
    return json.dumps(value)  # keys in their order: the order is part of the shape


def _of_recording(path: Path) -> dict[str, Any]:
    record = json.loads(path.read_text(encoding="utf-8"))
    request, response = record["request"], record["response"]
    return {
        "method": request["method"],
        "path": request["path"],
        "request": request["body"],
        "status": response["status"],
        "headers": {k: v for k, v in response["headers"].items() if k in KEPT_HEADERS},
        "shapes": shapes_of("".join(chunk["text"] for chunk in response["body_chunks"])),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    all_shapes = {case: _of_recording(folder / f"{case}.json") for case in CASES}
    lines = [f"{json.dumps(case)}: {json.dumps(facts)}" for case, facts in all_shapes.items()]
    SHAPES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
