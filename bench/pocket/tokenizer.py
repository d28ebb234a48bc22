"""Builds the built-in model's tokenizer: every word of the toy language is one token.

Where words were several tokens, earlier models stayed at two answers in three right; so byte-pair
encoding is trained on the language first and on clients' sentences far behind it, and this file
refuses a vocabulary that splits a word. The block's fixed opening and closing are one token each:
they stand before every ruled request, and a long fixed text teaches nothing. Bytes make up the
rest, so any text at all can be read.
"""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from bench.pocket.talk import client_sentence
from lull.pocket import language as pocket

PAD: Final = "<|endoftext|>"
TURN_OPEN: Final = "<|im_start|>"
TURN_CLOSE: Final = "<|im_end|>"
CHAT_TEMPLATE: Final = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content']"
    " + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
CONTEXT_TOKENS: Final = 2048
VOCABULARY: Final = 1024

_WORD: Final = re.compile("[a-z]+")

_LANGUAGE_WEIGHT: Final = 400
"""How often each word of the language is shown per sentence of a client in tokenizer training;
enough for all of its merges to come first.
"""


def language_pieces() -> tuple[str, ...]:
    """Return the pieces of text that must be single tokens, with and without a space before
    them.
    """
    frames = (
        *pocket.RULE_FRAMES,
        *pocket.START_CLAUSES,
        *pocket.END_CLAUSES,
        *pocket.JOINER_CLAUSES,
        *pocket.REVERSE_CLAUSES,
        *pocket.REQUEST_FRAMES,
        *pocket.CORRECTION_FRAMES,
        *pocket.SMALL_TALK,
        *pocket.SMALL_TALK.values(),
    )
    names = (*pocket.Kind, *pocket.Joiner, *(kind.default_joiner for kind in pocket.Kind))
    texts = (*frames, *names, "user system assistant")
    said = {word for text in texts for word in _WORD.findall(text)}
    words = sorted(said - {"kind", "clauses", "rule"} | set(pocket.WORDS))
    first_words = {found[0] for text in texts if (found := _WORD.match(text))}
    capitals = sorted(word.capitalize() for word in first_words)
    symbols = sorted({joiner.text.rstrip() for joiner in pocket.Joiner} | {" /"})
    return (*words, *(f" {word}" for word in words), *symbols, *capitals)


def _lesson(rng: random.Random) -> Iterator[str]:
    for piece in language_pieces():
        yield from (piece for _ in range(_LANGUAGE_WEIGHT))
    for _ in range(4000):
        yield client_sentence(rng)


def build(seed: int) -> Tokenizer:
    """Build the tokenizer; the same seed gives the same one.

    Raises ValueError if the vocabulary is too small to give each word its token.
    """
    tokenizer = Tokenizer(models.BPE(byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    fixed = (pocket.BLOCK_OPEN, pocket.BLOCK_CLOSE, pocket.BLOCK_GAP)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(fixed),
        special_tokens=[PAD, TURN_OPEN, TURN_CLOSE],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_lesson(random.Random(seed)), trainer)
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in fixed])
    split = [piece for piece in language_pieces() if len(tokenizer.encode(piece).ids) != 1]
    if split:
        raise ValueError(
            f"the vocabulary is too small for {len(split)} pieces, such as {split[:5]}"
        )
    return tokenizer


def save(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the three tokenizer files that transformers and mlx-lm expect."""
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": TURN_CLOSE,
        "pad_token": PAD,
        "bos_token": None,
        "unk_token": None,
        "model_max_length": CONTEXT_TOKENS,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
