"""Detects a text's language with py3langid, whose wheel includes a model of 139 languages.

Confidence grows with the length of the text and is low for a few words.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from lull.core.checks.language import CODES

EXAMINED_CHARACTERS: int = 4_000
"""Most characters of a text that language detection examines."""

READ: Final = frozenset(("en", "de", "fr", "es"))
"""Codes of the languages that Lull's small feedback reader was trained on."""
SURELY: Final = 0.9
"""Least probability at which a text counts as being in another language."""
LEAST_WORDS: Final = 5
"""Fewest words of a text for which the detected language means anything."""


def is_foreign(text: str) -> bool:
    """Return whether a text is almost certainly in a language that Lull's small feedback reader was
    not trained on.
    """
    if len(text.split()) < LEAST_WORDS:
        return False
    found = detect(text)
    return found is not None and found[0] not in READ and found[1] >= SURELY


def detect(text: str) -> tuple[str, float] | None:
    """Return a text's language (ISO 639-1) and its probability; None for a text without letters."""
    looked_at = " ".join(text.split())[:EXAMINED_CHARACTERS]
    if not any(sign.isalpha() for sign in looked_at):
        return None
    language, probability = _model().classify(looked_at)
    return str(language), float(probability)


@cache
def _model() -> Any:
    # Takes a second of CPU and some 50 MB, so only loaded for a language check.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # Leave out languages such as Aragonese, which Spanish texts are mistaken for.
    known = {str(language) for language in model.nb_classes}
    model.set_languages(sorted(known & set(CODES.values())))
    return model
