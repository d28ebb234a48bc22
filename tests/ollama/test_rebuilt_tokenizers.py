"""Tests that a tokenizer rebuilt from a GGUF file gives the same token ids as Ollama."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from lull.backends.mlx.folder import plan_folder
from lull.core.models.weight_form import WeightForm
from tests.backends.gguf.tiny import Tiny, write
from tests.ollama.conftest import RealOllama

pytestmark = pytest.mark.full

TEXTS = (
    "Hello world, the cat and the other cat.",
    "don't we'LL I'M x'y 'S",
    "  two  spaces\tand\ttabs   ",
    "lines\n\n\nand \n more\r\n",
    "12345 1.5 3,000 x2y33 ½ ٣٤",
    "héllo wörld ÄÖÜ ñandú naïve",
    "日本語のテキスト 中文 한국어",
    "🐱🐶 family 👨‍👩‍👧 flags 🇦🇹",
    "def f(a_b, *c): return a[0] != {'k': 1}  # ok",
    "https://example.org/a?b=c&d=%20 $9.99 + 5^2 ~ <tag/>",
    "<|im_start|>user\nhi<|im_end|>",
    "half <|im_start and |im_end|>",
    "camelCase HTMLParser iOS",
)
CUTS = {
    "llama-bpe": Tiny(),
    "gpt-2": Tiny(cut="gpt-2"),
    "qwen2": Tiny(cut="qwen2"),
    "smollm": Tiny(cut="smollm", specials_first=True),
    "tekken": Tiny(cut="tekken", specials_first=True),
    "default": Tiny(cut="default"),
    "refact": Tiny(cut="refact"),
    "qwen3": Tiny(architecture="qwen3", cut="qwen2"),
    "pieces": Tiny(tokenizer="llama"),
    "gemma3": Tiny(architecture="gemma3", tokenizer="llama", layers=6),
}


ACROSS = (
    *("'ll", "I'm", "x'y", "d wor", "the other", "e cat.", "12345", "1.5", "000 x", "y33", "  two"),
    *(
        "\tt",
        "\n\n\n",
        " \n",
        "\r\n",
        "é",
        "ö",
        "日本",
        "🐱",
        "f(a_b",
        "[0]",
        "!= ",
        "://",
        "9.99",
        "+ 5",
    ),
    *(" hi", "im_", "elC", "LPa", "iO", "a?b=c", "ö Ä", "½", "Ä", "Ö", "Ü", "文 한"),
)
"""Tokens across every place where one of the rules for splitting divides a text.

Without them all rules would give the same ids.
"""


@pytest.mark.parametrize("name", CUTS)
def test_the_same_ids_as_ollama(name: str, ollama: RealOllama, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    write(file, replace(CUTS[name], words=ACROSS))
    rebuilt = plan_folder(file, WeightForm.F32).tokenizer.tokenizer
    tokenizer = Tokenizer.from_str(json.dumps(rebuilt))
    data = file.read_bytes()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert ollama.ask("POST", f"/api/blobs/{digest}", data).status in (200, 201)
    made = {"model": "cuts", "files": {"m.gguf": digest}, "template": "{{ .Prompt }}"}
    assert ollama.ask("POST", "/api/create", {**made, "stream": False}).status == 200
    try:
        differs = {
            text: (ours, theirs)
            for text in TEXTS
            if (ours := tokenizer.encode(text).ids) != (theirs := _ids(ollama, text, ours))
        }
    finally:
        ollama.ask("DELETE", "/api/delete", {"model": "cuts"})
    assert not differs, json.dumps(differs)


def test_the_cuts_are_told_apart_by_these_texts(tmp_path: Path) -> None:
    found = set()
    names = ("llama-bpe", "gpt-2", "qwen2", "smollm", "tekken", "default")
    for name in names:
        write(tmp_path / "model.gguf", replace(CUTS[name], words=ACROSS))
        rebuilt = plan_folder(tmp_path / "model.gguf", WeightForm.F32).tokenizer.tokenizer
        tokenizer = Tokenizer.from_str(json.dumps(rebuilt))
        found.add(tuple(tuple(tokenizer.encode(text).ids) for text in TEXTS))
    assert len(found) == len(names)


def _ids(ollama: RealOllama, text: str, ours: list[int]) -> list[int]:
    """Return `ours` if Ollama read the text as these token ids, else the ids that it reports.

    Ollama tells the ids of prompt and answer read as one text, so the last two of the prompt may
    differ.
    """
    options = {"num_predict": 1, "temperature": 0}
    asked = {"model": "cuts", "prompt": text, "stream": False, "options": options}
    answer: dict[str, Any] = ollama.ask("POST", "/api/generate", asked).json
    read: list[int] = answer["context"]
    same = read[: len(ours) - 2] == ours[:-2] and answer["prompt_eval_count"] == len(ours)
    return ours if same else read
