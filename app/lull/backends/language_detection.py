"""In which language a text is: py3langid, whose model of 139 languages comes in its wheel.

Only as sure as the text is long: of a few words it says little, and `core/checks/language` asks for
nine tenths.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lull.core.checks.language import CODES

LONGEST: int = 4_000
"""Characters that are looked at; more tell nothing new."""


def detect(text: str) -> tuple[str, float] | None:
    """The language (ISO 639-1) and how sure that is, 0 to 1; None for a text without letters."""
    looked_at = " ".join(text.split())[:LONGEST]
    if not any(sign.isalpha() for sign in looked_at):
        return None
    language, probability = _model().classify(looked_at)
    return str(language), float(probability)


@cache
def _model() -> Any:
    # A second of CPU and some 50 MB: only once somebody has a check of a language.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # Aragonese is no likely answer to anybody, and takes from Spanish what is Spanish.
    known = {str(language) for language in model.nb_classes}
    model.set_languages(sorted(known & set(CODES.values())))
    return model
