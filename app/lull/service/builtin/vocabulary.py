"""Builds the vocabulary (the tokens) of a model that Lull itself serves, for answers to Ollama's
verbose `/api/show`.
"""

from __future__ import annotations

import json
from pathlib import Path


def vocabulary(folder: Path) -> dict[str, object]:
    """Return the tokens, token types and merges of a model's tokenizer under GGUF's names.

    Empty if the model has no tokenizer.json.
    """
    try:
        tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        model = tokenizer.get("model")
    except (OSError, ValueError, AttributeError):
        return {}
    model = model if isinstance(model, dict) else {}
    ids = model.get("vocab")
    tokens = {number: text for text, number in ids.items()} if isinstance(ids, dict) else {}
    added = tokenizer.get("added_tokens")
    special = (
        [token for token in added if isinstance(token, dict)] if isinstance(added, list) else []
    )
    control = {token.get("id") for token in special}
    tokens |= {token.get("id"): token.get("content") for token in special}
    ordered = sorted(tokens)
    return {
        "merges": [m if isinstance(m, str) else " ".join(m) for m in model.get("merges") or []],
        "token_type": [3 if number in control else 1 for number in ordered],
        "tokens": [tokens[number] for number in ordered],
    }
