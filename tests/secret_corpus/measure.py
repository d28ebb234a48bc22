"""Measures the share of secrets that the redactor removes, and of clean texts that it changes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from lull.core.provenance.redaction import redact_text
from lull.core.secrets.finding import PATTERNS
from tests.secret_corpus.shapes import Made, fill, lines, make, place, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    kinds: int
    places: int
    tried: int
    leaks: tuple[Made, ...]
    clean: int
    touched: tuple[tuple[str, str], ...]
    """Clean texts that were changed: (text, what became of it)."""

    @property
    def held(self) -> int:
        return self.tried - len(self.leaks)


def measure(which: str, *, seed: int, places: int = 0, clean_places: int = 0) -> Found:
    """Measure the redactor on a corpus: `own`, or `exam`, to which nobody tunes it.

    `places` is the number of places tried for each kind of secret, `clean_places` for each clean
    text; 0 means all.
    """
    chance = random.Random(seed)
    kinds, around_it = read(f"{which}_kinds.txt"), lines(f"{which}_places.txt")
    if which == "own":
        kinds += [(f"pattern {at}", one.holds) for at, one in enumerate(PATTERNS)]
    leaks, tried = [], 0
    for kind, template in kinds:
        for around in chance.sample(around_it, places or len(around_it)):
            made = make(kind, template, chance)
            whole = place(around, made.text)
            tried += 1
            if leaked(made.secret, redact_text(whole, _alike)):
                leaks.append(Made(kind, whole, made.secret))
    clean = [fill(line, chance) for line in lines(f"{which}_clean.txt")]
    texts = [
        place(around, text)
        for text in clean
        for around in chance.sample(around_it, clean_places or len(around_it))
    ]
    touched = [(text, left) for text in texts if (left := redact_text(text, _alike)) != text]
    return Found(
        kinds=len(kinds),
        places=places or len(around_it),
        tried=tried,
        leaks=tuple(leaks),
        clean=len(texts),
        touched=tuple(touched),
    )


def _alike(kind: str, secret: str) -> int:
    return 1


def leaked(secret: str, safe: str) -> bool:
    """Return whether the secret, or half of it in one piece, can still be read."""
    bare = " ".join(safe.replace("\\", "").split())
    plain = secret.replace("\n", " ")
    once = json.dumps(secret)[1:-1].replace("\\", "")
    half = len(plain) // 2 + 1
    pieces = {plain, once, plain[:half], plain[-half:]} if len(plain) >= 12 else {plain}
    if len(plain) > 200:
        pieces |= {plain[at : at + 60] for at in range(0, len(plain) - 60, 60)}
    return any(piece in safe or piece in bare for piece in pieces)
