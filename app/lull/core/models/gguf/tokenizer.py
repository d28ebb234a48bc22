"""Rebuilds a model's tokenizer from its GGUF file, in the format of `tokenizer.json`.

Two kinds are supported: byte-pair encoding with the merges in the file ("gpt2"), and SentencePiece
("llama"), whose merges follow from the pieces' scores: the pair whose result scores best is merged
first. How text is split before merging is given in the file by name only; an unknown name is
rejected, because a nearly right tokenizer gives other ids.

The splitting patterns are those of the models' own tokenizer.json files and of llama.cpp
(src/llama-vocab.cpp); the format is that of Hugging Face's tokenizers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from lull.core.errors import CannotLearn
from lull.core.models.gguf.head import Metadata, damaged

TokenizerPart = dict[str, object]
"""A part of the files tokenizer.json and tokenizer_config.json."""
_KEY: Final = "tokenizer.ggml."


class TokenKind(IntEnum):
    """The kinds of tokens in a GGUF file's vocabulary, by the numbers that the file stores."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


_ADDED: Final = (TokenKind.CONTROL, TokenKind.USER_DEFINED, TokenKind.UNKNOWN)
"""The kinds of tokens that are matched in a text before it is split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuiltTokenizer:
    """A tokenizer in Hugging Face's format, rebuilt from the vocabulary in a GGUF file."""

    tokenizer: TokenizerPart
    """The contents of tokenizer.json."""
    config: TokenizerPart
    """The contents of tokenizer_config.json."""
    ends: tuple[int, ...]
    """Token ids that end an answer; the first is the model's own end token."""
    begin: int | None
    chat_template: str
    """Chat template in Jinja; "" if the file has none."""


def rebuilt_tokenizer(meta: Metadata, vocabulary: int) -> RebuiltTokenizer:
    """Rebuild a model's tokenizer from its GGUF metadata. `vocabulary` is the number of rows of the
    embedding. Raises CannotLearn for a tokenizer that is not supported, WeightsError for faulty
    data.
    """
    tokens = meta.texts(f"{_KEY}tokens")
    if not tokens or len(tokens) > vocabulary:
        raise damaged(f"it has {len(tokens)} tokens and {vocabulary} embeddings")
    kinds = _kinds(meta, len(tokens))
    model = meta.text(f"{_KEY}model")
    if model == "gpt2":
        parts = _byte_pairs(meta, tokens, kinds)
    elif model == "llama":
        parts = _pieces(meta, tokens, kinds)
    else:
        raise CannotLearn(f"Its tokenizer is of a kind that is not known here ({model[:40]}).")
    begin = _token_id(meta, "bos_token_id", len(tokens))
    ends = _ends(meta, tokens, kinds)
    parts["post_processor"] = _around(
        parts["post_processor"],
        tokens[begin] if begin is not None and _adds_begin(meta, model) else None,
        begin,
    )
    return RebuiltTokenizer(
        tokenizer={
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": _added(tokens, kinds),
            **parts,
        },
        config=_config(meta, tokens, begin, ends),
        ends=ends,
        begin=begin,
        chat_template=meta.text("tokenizer.chat_template", ""),
    )


def _kinds(meta: Metadata, count: int) -> tuple[int, ...]:
    if f"{_KEY}token_type" not in meta:
        return (TokenKind.NORMAL,) * count
    kinds = tuple(int(kind) for kind in meta.numbers(f"{_KEY}token_type"))
    if len(kinds) != count:
        raise damaged(f"it has {count} tokens and {len(kinds)} kinds of them")
    return kinds


def _added(tokens: Sequence[str], kinds: Sequence[int]) -> list[TokenizerPart]:
    """Return the tokens that are matched in a text before it is split."""
    return [
        {
            "id": number,
            "content": text,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind in (TokenKind.CONTROL, TokenKind.UNKNOWN),
        }
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in _ADDED and text
    ]


def _config(
    meta: Metadata, tokens: Sequence[str], begin: int | None, ends: Sequence[int]
) -> TokenizerPart:
    pad = _token_id(meta, "padding_token_id", len(tokens))
    unknown = _token_id(meta, "unknown_token_id", len(tokens))
    return {
        # The class that uses tokenizer.json unchanged.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": None if begin is None else tokens[begin],
        "eos_token": tokens[ends[0]] if ends else None,
        "pad_token": None if pad is None else tokens[pad],
        "unk_token": None if unknown is None else tokens[unknown],
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1 << 30,
    }


def _token_id(meta: Metadata, key: str, count: int) -> int | None:
    if f"{_KEY}{key}" not in meta:
        return None
    number = meta.whole(f"{_KEY}{key}")
    # Some files write 2³²-1 for "none", which `whole` rejects.
    if number >= count:
        raise damaged(f"{_KEY}{key} is {number} of {count} tokens")
    return number


_END_TEXTS: Final = frozenset(
    {
        *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|endoftext|>"),
        *("<|end|>", "<|end_of_text|>", "</s>", "<eos>", "<|return|>", "<|eot|>"),
    }
)
"""Control tokens that llama.cpp treats as the end of an answer whatever the file says."""


def _ends(meta: Metadata, tokens: Sequence[str], kinds: Sequence[int]) -> tuple[int, ...]:
    own = [_token_id(meta, f"{which}_token_id", len(tokens)) for which in ("eos", "eot", "eom")]
    listed: Iterable[float] = ()
    if f"{_KEY}eos_token_ids" in meta:
        listed = (n for n in meta.numbers(f"{_KEY}eos_token_ids") if 0 <= n < len(tokens))
    by_text = (
        number
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind == TokenKind.CONTROL and text in _END_TEXTS
    )
    found = [*(n for n in own if n is not None), *map(int, listed), *by_text]
    return tuple(dict.fromkeys(found))


def _adds_begin(meta: Metadata, model: str) -> bool:
    cut = meta.text(f"{_KEY}pre", "") if model == "gpt2" else ""
    usual = model == "llama" or cut in (*_LLAMA_3, "tekken")
    return meta.yes(f"{_KEY}add_bos_token", default=usual)


def _around(own: object, begin: str | None, number: int | None) -> object:
    """Build the tokenizer's post-processor, which adds a begin token in front if the model needs
    one.
    """
    if begin is None:
        return own
    front = {"SpecialToken": {"id": begin, "type_id": 0}}
    template = {
        "type": "TemplateProcessing",
        "single": [front, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [front, *({"Sequence": {"id": one, "type_id": 0}} for one in "AB")],
        "special_tokens": {begin: {"id": begin, "ids": [number], "tokens": [begin]}},
    }
    return template if own is None else {"type": "Sequence", "processors": [own, template]}


# Byte-pair encoding as in GPT-2

_GPT_2: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_MODERN: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LETTERS: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_TEKKEN: Final = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS[0]}*{_LETTERS[1]}+"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_LETTERS[0]}+{_LETTERS[1]}*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA_3: Final = ("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral")
_PLAIN_GPT_2: Final = ("gpt-2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe")
_LIKE_QWEN: Final = ("qwen2", "deepseek-r1-qwen", "stablelm2", "megrez", "hunyuan")
_DIGITS_APART: Final = ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone")
_PATTERNS: Final = {
    **dict.fromkeys(_PLAIN_GPT_2, (_GPT_2,)),
    **dict.fromkeys((*_LLAMA_3, "smaug-bpe", "dbrx"), (_MODERN.replace("DIGITS", "{1,3}"),)),
    **dict.fromkeys(_LIKE_QWEN, (_MODERN.replace("DIGITS", ""),)),
    **dict.fromkeys(_DIGITS_APART, (r"\p{N}", _GPT_2)),
    "tekken": (_TEKKEN,),
    "default": (
        r"[\p{P}\$\+<=>\^~\|]+",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
        r"\p{N}+",
        r"[0-9][0-9][0-9]",
    ),
}
"""Splitting patterns by the method's name, each applied to the pieces of the one before."""


def _byte_pairs(meta: Metadata, tokens: Sequence[str], kinds: Sequence[int]) -> TokenizerPart:
    cut = meta.text(f"{_KEY}pre", "default")
    # For qwen2, the library that loads tokenizer.json substitutes that family's own splitting.
    replaced = meta.architecture == "qwen2" and cut not in _LIKE_QWEN
    if cut not in _PATTERNS or replaced:
        raise CannotLearn(f"How its tokenizer cuts text is not known here ({cut[:40]}).")
    merges = meta.texts(f"{_KEY}merges")
    plain = {
        text: number
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in (TokenKind.NORMAL, TokenKind.BYTE)
    }
    splits: list[TokenizerPart] = [
        {"type": "Split", "pattern": {"Regex": one}, "behavior": "Isolated", "invert": False}
        for one in _PATTERNS[cut]
    ]
    in_bytes: TokenizerPart = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    return {
        "normalizer": None,  # llama.cpp, which serves the model, normalises nothing
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*splits, in_bytes]},
        "post_processor": None,
        "decoder": {**in_bytes, "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": cut in (*_LLAMA_3, "tekken"),
            "vocab": _numbered(plain, tokens, kinds),
            "merges": [_pair(merge, plain) for merge in merges],
        },
    }


def _numbered(plain: dict[str, int], tokens: Sequence[str], kinds: Sequence[int]) -> dict[str, int]:
    """Return the numbers of the plain tokens and of those that are matched before a text is split.

    An added token that the vocabulary does not have gets the next free number, whatever it is said
    to have; so `<|im_start|>`, which is 1 in SmolLM2, was read as the token "Maya".
    """
    added = {
        text: number
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in _ADDED and text
    }
    return plain | added


def _pair(merge: str, known: dict[str, int]) -> list[str]:
    left, space, right = merge.partition(" ")
    if not space or left not in known or right not in known or left + right not in known:
        raise damaged(f"the merge {merge[:60]!r} joins no tokens of its own")
    return [left, right]


# SentencePiece


def _pieces(meta: Metadata, tokens: Sequence[str], kinds: Sequence[int]) -> TokenizerPart:
    scores = meta.numbers(f"{_KEY}scores")
    if len(scores) != len(tokens):
        raise damaged(f"it has {len(tokens)} tokens and {len(scores)} scores")
    unknown = _token_id(meta, "unknown_token_id", len(tokens))
    prefix = meta.yes(f"{_KEY}add_space_prefix", default=True)
    as_mark: TokenizerPart = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    in_front: TokenizerPart = {"type": "Prepend", "prepend": "▁"}
    normalizers = [in_front, as_mark] if prefix else [as_mark]
    decoders: list[TokenizerPart] = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if prefix:
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    vocabulary = {text: number for number, text in enumerate(tokens)}
    return {
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None if unknown is None else tokens[unknown],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": _merges(tokens, kinds, scores),
        },
    }


def _merges(
    tokens: Sequence[str], kinds: Sequence[int], scores: Sequence[float]
) -> list[list[str]]:
    """Return each way to join two pieces to a third, the best-scored result first."""
    known = {
        text: number
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in (TokenKind.NORMAL, TokenKind.USER_DEFINED)
    }
    found = [
        (-scores[number], known[text[:at]], known[text[at:]], text[:at], text[at:])
        for text, number in known.items()
        if kinds[number] == TokenKind.NORMAL
        for at in range(1, len(text))
        if text[:at] in known and text[at:] in known
    ]
    return [[left, right] for *_, left, right in sorted(found)]
