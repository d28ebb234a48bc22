"""Writes tiny GGUF models with random weights, for every supported architecture and number format.

They are so small that a real Ollama answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
WORDS = (" the", "ing", " and", "er", "Hello", " world", "123", " cat")
Array = Any


@dataclass(frozen=True, kw_only=True)
class Tiny:
    architecture: str = "llama"
    kind: str = "F16"
    """Number format of the matrices."""
    tokenizer: str = "gpt2"
    cut: str = "llama-bpe"
    hidden: int = 64
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    head: int = 16
    inner: int = 96
    window: int = 512
    tied: bool = False
    seed: int = 0
    chat_template: str = CHAT_TEMPLATE
    words: tuple[str, ...] = WORDS
    """Words that are tokens, together with the parts they are merged from."""
    specials_first: bool = False
    """Whether control tokens have the first numbers of the vocabulary, as in SmolLM2 and Mistral,
    and not the last, as in Llama and Qwen. SentencePiece's always come first.
    """
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further metadata keys; a key that is there already gets this value."""

    @property
    def gemma(self) -> bool:
        return self.architecture.startswith("gemma")

    @property
    def is_tied(self) -> bool:
        return self.tied or self.gemma


def write(path: Path, tiny: Tiny, *, also: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """Write the model's file; return its tensors as they were before rounding to the format."""
    tokens, kinds, merges, scores = vocabulary(tiny)
    writer = gguf.GGUFWriter(str(path), tiny.architecture)
    writer.add_name("tiny")
    for key, value in keys_of(tiny, len(tokens)).items():
        _add(writer, key, value)
    writer.add_tokenizer_model(tiny.tokenizer)
    if tiny.tokenizer == "gpt2":
        writer.add_tokenizer_pre(tiny.cut)
        writer.add_token_merges(merges)
    else:
        writer.add_token_scores(scores)
        writer.add_add_space_prefix(not tiny.gemma)
        writer.add_unk_token_id(tokens.index("<unk>"))
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_pad_token_id(tokens.index("<|endoftext|>"))
    writer.add_add_bos_token(False)
    if tiny.chat_template:
        writer.add_chat_template(tiny.chat_template)
    values = weights(tiny, len(tokens)) | dict(also or {})
    for name, value in values.items():
        kind = tiny.kind if value.ndim == 2 and name.endswith(".weight") else "F32"
        data = as_kind(value, kind)
        writer.add_tensor(name, data, raw_dtype=GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return values


def keys_of(tiny: Tiny, vocabulary_size: int) -> dict[str, Any]:
    a = tiny.architecture
    keys = {
        f"{a}.context_length": tiny.window,
        f"{a}.embedding_length": tiny.hidden,
        f"{a}.block_count": tiny.layers,
        f"{a}.feed_forward_length": tiny.inner,
        f"{a}.attention.head_count": tiny.heads,
        f"{a}.attention.head_count_kv": tiny.kv_heads,
        f"{a}.attention.layer_norm_rms_epsilon": 1e-6,
        f"{a}.rope.freq_base": 10000.0,
        f"{a}.attention.key_length": tiny.head,
        f"{a}.attention.value_length": tiny.head,
        f"{a}.vocab_size": vocabulary_size,
        "general.file_type": 1,
    }
    if a in ("llama", "qwen2", "qwen3"):
        keys[f"{a}.rope.dimension_count"] = tiny.head
    if a == "gemma2":
        keys |= {f"{a}.attn_logit_softcapping": 50.0, f"{a}.final_logit_softcapping": 30.0}
    if a in ("gemma2", "gemma3"):
        keys[f"{a}.attention.sliding_window"] = 512
    return keys | dict(tiny.more)


def weights(tiny: Tiny, vocabulary_size: int) -> dict[str, Array]:
    draw = np.random.default_rng(tiny.seed)

    def matrix(rows: int, columns: int) -> Array:
        return (draw.normal(size=(rows, columns)) * 0.4 / np.sqrt(columns / 16)).astype(np.float32)

    def norm(size: int) -> Array:
        return (1 + 0.1 * draw.normal(size=size)).astype(np.float32)

    q, kv = tiny.heads * tiny.head, tiny.kv_heads * tiny.head
    made = {
        "token_embd.weight": matrix(vocabulary_size, tiny.hidden),
        "output_norm.weight": norm(tiny.hidden),
    }
    if not tiny.is_tied:
        made["output.weight"] = matrix(vocabulary_size, tiny.hidden)
    made["output.weight" if not tiny.is_tied else "token_embd.weight"][_unsayable(tiny)] = 0
    for at in range(tiny.layers):
        made |= {
            f"blk.{at}.{name}": value
            for name, value in {
                "attn_norm.weight": norm(tiny.hidden),
                "attn_q.weight": matrix(q, tiny.hidden),
                "attn_k.weight": matrix(kv, tiny.hidden),
                "attn_v.weight": matrix(kv, tiny.hidden),
                "attn_output.weight": matrix(tiny.hidden, q),
                "ffn_norm.weight": norm(tiny.hidden),
                "ffn_gate.weight": matrix(tiny.inner, tiny.hidden),
                "ffn_up.weight": matrix(tiny.inner, tiny.hidden),
                "ffn_down.weight": matrix(tiny.hidden, tiny.inner),
            }.items()
        }
        if tiny.architecture == "qwen2":
            for name, size in (("q", q), ("k", kv), ("v", kv)):
                made[f"blk.{at}.attn_{name}.bias"] = norm(size) - 1
        if tiny.architecture in ("qwen3", "gemma3"):
            made[f"blk.{at}.attn_q_norm.weight"] = norm(tiny.head)
            made[f"blk.{at}.attn_k_norm.weight"] = norm(tiny.head)
        if tiny.architecture in ("gemma2", "gemma3"):
            made[f"blk.{at}.post_attention_norm.weight"] = norm(tiny.hidden)
            made[f"blk.{at}.post_ffw_norm.weight"] = norm(tiny.hidden)
    return made


def _unsayable(tiny: Tiny) -> list[int]:
    """Return the ids of half characters and control tokens, whose log-probability Ollama omits."""
    tokens, kinds, _, _ = vocabulary(tiny)
    halves = set(byte_letters()[128:]) if tiny.tokenizer == "gpt2" else set()
    return [
        number
        for number, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind != 1 or token in halves
    ]


def as_kind(values: Array, kind: str) -> Array:
    """Encode the values in this number format; K formats get valid random blocks instead.

    The Python package `gguf` cannot write the K formats.
    """
    if kind == "F32":
        return values.astype(np.float32)
    if kind == "F16":
        return values.astype(np.float16)
    number = GGMLQuantizationType[kind]
    try:
        return gguf.quants.quantize(values, number)
    except NotImplementedError:
        return random_blocks(values.shape, kind)


SCALES_AT = {"Q2_K": (80, 82), "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}
"""Offsets of the half-precision scales in a block of each K format (ggml-common.h)."""


def random_blocks(shape: tuple[int, ...], kind: str) -> Array:
    block, n_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    draw = np.random.default_rng(7)
    rows, blocks = shape[0], shape[1] // block
    data = draw.integers(0, 256, size=(rows, blocks, n_bytes), dtype=np.uint8)
    scale = np.array([0.0005], np.float16).view(np.uint8)
    for at in SCALES_AT.get(kind, (0,)):
        data[:, :, at : at + 2] = scale
    return data.reshape(rows, blocks * n_bytes)


def vocabulary(tiny: Tiny) -> tuple[list[str], list[int], list[str], list[float]]:
    """Return the vocabulary of a tokenizer model: (tokens, kinds, merges, scores)."""
    if tiny.tokenizer != "gpt2":
        return _pieces(tiny.words)
    return _byte_pairs(tiny.words, specials_first=tiny.specials_first)


def byte_letters() -> list[str]:
    """Return GPT-2's letter for each byte (openai/gpt-2, encoder.py)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    more = iter(range(256, 512))
    return [chr(b if b in printable else next(more)) for b in range(256)]


def _byte_pairs(
    words: Sequence[str], *, specials_first: bool
) -> tuple[list[str], list[int], list[str], list[float]]:
    letters = byte_letters()
    tokens, merges = list(letters), []
    for word in words:
        so_far = letters[word.encode()[0]]
        for byte in word.encode()[1:]:
            merge = f"{so_far} {letters[byte]}"
            so_far += letters[byte]
            if so_far not in tokens:
                tokens.append(so_far)
                merges.append(merge)
    kinds = [1] * len(tokens)
    at = 0 if specials_first else len(tokens)
    tokens[at:at], kinds[at:at] = SPECIALS, [3] * len(SPECIALS)
    while len(tokens) % 32:
        tokens.append(f"[unused {len(tokens)}]")
        kinds.append(5)
    return tokens, kinds, merges, []


def _pieces(words: Sequence[str]) -> tuple[list[str], list[int], list[str], list[float]]:
    tokens = ["<unk>", *SPECIALS, *(f"<0x{b:02X}>" for b in range(256))]
    kinds = [2, *[3] * len(SPECIALS), *[6] * 256]
    known = dict.fromkeys("▁")
    for word in words:
        text = word.replace(" ", "▁")
        known |= dict.fromkeys(text)
        known |= dict.fromkeys(text[:k] for k in range(1, len(text) + 1))
    pieces = sorted(known, key=len, reverse=True)
    tokens += pieces
    kinds += [1] * len(pieces)
    scores = [0.0] * (len(tokens) - len(pieces)) + [-float(k) for k in range(len(pieces))]
    while len(tokens) % 32:
        tokens.append(f"[unused {len(tokens)}]")
        kinds.append(5)
        scores.append(-1e3)
    return tokens, kinds, [], scores


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif key == "general.alignment":
        writer.add_custom_alignment(value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    else:
        writer.add_string(key, value)
